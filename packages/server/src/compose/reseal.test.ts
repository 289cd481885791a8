import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { aWebhookSource, storedOrganisation } from '../../test/contract/storage/samples.ts';
import { everyStore } from '../../test/support/every-store.ts';
import { temporaryDirectory } from '../../test/support/service.ts';
import { messageOf } from '../core/errors.ts';
import { KEY_CHECK_SETTING, keyCheckValue, lookAtKeys, requireSameKey } from '../core/secrets/key-check.ts';
import { createVault } from '../core/secrets/vault.ts';
import { sourceSecret } from '../core/stores/configuration/sources.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
import { openStorage } from '../storage/open.ts';
import { resealStorage } from './reseal.ts';

const OLD = 'the old secret key of thirty-two characters';
const NEW = 'the new secret key of thirty-two characters';
const keys = { present: NEW, previous: OLD };
const oldVault = createVault(OLD);
const newVault = createVault(NEW);
const bothVault = createVault(NEW, OLD);
/** More than two lots of them. */
const SOURCES = 120;

let directory: string;
let engine: StorageEngine;
let orgId: string;
beforeEach(async () => {
  directory = temporaryDirectory();
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  await requireSameKey(engine.upkeep, { present: OLD, previous: null });
  orgId = await storedOrganisation(everyStore(engine));
  // At once, so that they share a flush of the disk.
  await Promise.all(Array.from({ length: SOURCES }, createOldSource));
  await requireSameKey(engine.upkeep, keys);
});
afterEach(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

function createOldSource(): Promise<void> {
  const source = aWebhookSource(orgId);
  return engine.configuration.createSource({
    ...source,
    sealedToken: oldVault.seal(`token of ${source.id}`, sourceSecret(source, 'token')),
    sealedSecret: oldVault.seal(`secret of ${source.id}`, sourceSecret(source, 'secret')),
  });
}

const work = { checkOnly: false, pause: async () => {}, isStopping: () => false };
const keptCheck = () => engine.upkeep.keepSetting(KEY_CHECK_SETTING, '');

/** What this vault cannot open of what is stored. */
async function unreadableWith(vault: typeof newVault): Promise<number> {
  let unreadable = 0;
  for (const source of await engine.configuration.listSources(orgId)) {
    if (source.kind !== 'webhook') continue;
    for (const field of ['token', 'secret'] as const) {
      const sealed = field === 'token' ? source.sealedToken : source.sealedSecret;
      try {
        expect(vault.open(sealed, sourceSecret(source, field))).toBe(`${field} of ${source.id}`);
      } catch {
        unreadable++;
      }
    }
  }
  return unreadable;
}

test('counting changes nothing', async () => {
  const report = await resealStorage(engine, keys, { ...work, checkOnly: true });
  expect(report).toEqual({ resealed: 0, left: 2 * SOURCES, unreadable: [], complete: true, settled: false });
  expect(await unreadableWith(oldVault)).toBe(0);
  expect(await keptCheck()).toContain(keyCheckValue(OLD));
});

test('interrupted after any lot it goes on where it was, and nothing is unreadable in between', async () => {
  let lots = 0;
  const first = await resealStorage(engine, keys, { ...work, isStopping: () => lots++ >= 1 });
  expect(first).toMatchObject({ complete: false });
  expect(first.resealed).toBeWithin(1, 2 * SOURCES);
  expect(await unreadableWith(bothVault)).toBe(0);
  expect(await unreadableWith(newVault)).toBe(2 * SOURCES - first.resealed);
  expect(await keptCheck()).toContain(keyCheckValue(OLD));

  const second = await resealStorage(engine, keys, work);
  expect(second).toMatchObject({ left: 0, complete: true });
  expect(first.resealed + second.resealed).toBe(2 * SOURCES);
  expect(await unreadableWith(newVault)).toBe(0);
  expect(await keptCheck()).toBe(keyCheckValue(NEW));
});

test('what somebody changes at the same moment is neither lost nor left behind', async () => {
  const [source] = await engine.configuration.listSources(orgId);
  if (source === undefined) throw new Error('there is no source');
  const read = engine.configuration.listSealed;
  let isFirst = true;
  // Between reading a lot and writing it, another node with the keys the other way round rotates a secret.
  const listSealed: typeof read = async (...args) => {
    const records = await read(...args);
    if (isFirst && records.some(({ id }) => id === source.id)) {
      isFirst = false;
      const sealedSecret = oldVault.seal('rotated', sourceSecret(source, 'secret'));
      await engine.configuration.updateSource(orgId, source.id, { sealedSecret }, 1);
    }
    return records;
  };
  const configuration = { ...engine.configuration, listSealed };
  const report = await resealStorage({ ...engine, configuration }, keys, work);
  expect(report).toEqual({ resealed: 2 * SOURCES, left: 0, unreadable: [], complete: true, settled: true });
  const now = await engine.configuration.findSource(orgId, source.id);
  if (now?.kind !== 'webhook') throw new Error('it is gone');
  expect(newVault.open(now.sealedSecret, sourceSecret(now, 'secret'))).toBe('rotated');
});

test('what no key opens is named, kept as it is, and holds up nothing else', async () => {
  const [source] = await engine.configuration.listSources(orgId);
  if (source === undefined) throw new Error('there is no source');
  const lost = createVault('a third key of thirty-two characters').seal('x', sourceSecret(source, 'secret'));
  await engine.configuration.updateSource(orgId, source.id, { sealedSecret: lost }, 1);
  expect(await resealStorage(engine, keys, work)).toEqual({
    resealed: 2 * SOURCES - 1,
    left: 0,
    unreadable: [`source ${source.id} (secret)`],
    complete: true,
    settled: true,
  });
  expect(await engine.configuration.findSource(orgId, source.id)).toMatchObject({ sealedSecret: lost });
  expect(await keptCheck()).toBe(keyCheckValue(NEW));
});

test('counting puts no key down, and says when the previous one is still on record', async () => {
  const before = await keptCheck();
  const check = () => resealStorage(engine, keys, { ...work, checkOnly: true });
  const other = { present: OLD, previous: NEW };
  expect(await lookAtKeys(engine.upkeep, other)).toBe('being changed');
  expect(await keptCheck()).toBe(before);
  // Killed after the last secret was sealed again, and before the record of the keys was.
  const upkeep = { ...engine.upkeep, replaceSetting: async () => false };
  expect(await resealStorage({ ...engine, upkeep }, keys, work)).toMatchObject({ left: 0, settled: false });
  expect(await check()).toMatchObject({ left: 0, settled: false });
  expect(await keptCheck()).toBe(before);
  expect(await resealStorage(engine, keys, work)).toMatchObject({ left: 0, settled: true });
  expect(await check()).toMatchObject({ left: 0, settled: true });
});

test('while two keys are in use, nobody starts with one of them alone', async () => {
  const start = (present: string, previous: string | null): Promise<string> =>
    requireSameKey(engine.upkeep, { present, previous }).catch(messageOf);
  const OTHER = 'a third key of thirty-two characters';
  expect(await start(OLD, null)).toContain('is being changed');
  expect(await start(NEW, null)).toContain('is being changed');
  expect(await start(OTHER, null)).toContain('is not the one');
  expect(await start(OTHER, OLD)).toContain('is being changed');
  expect(await start(OLD, NEW)).toBe('being changed');
  await resealStorage(engine, keys, work);
  expect(await start(NEW, null)).toBe('all sealed with the current key');
  expect(await start(NEW, OLD)).toBe('all sealed with the current key');
  expect(await start(OLD, null)).toContain('is not the one');
});
