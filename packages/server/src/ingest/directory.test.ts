import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import {
  type Seed,
  seedOrganisation,
  TEST_SECRET_KEY,
  temporaryDirectory,
} from '../../test/support/service.ts';
import { createVault } from '../core/secrets/vault.ts';
import type { StorageEngine } from '../core/stores/storage.ts';
import { openStorage } from '../storage/open.ts';
import { createDirectory } from './directory.ts';

const directory = temporaryDirectory();
const day = 86_400_000;
let engine: StorageEngine;
let seed: Seed;

beforeAll(async () => {
  engine = await openStorage({
    directory,
    databaseUrl: undefined,
    onFatal: reason => {
      throw new Error(reason);
    },
  });
  seed = await seedOrganisation(engine);
});
afterAll(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

/** The directory over real storage, with a count of the look-ups that reached it. */
function open(mayCache: () => boolean = () => true) {
  let lookUps = 0;
  const counted = <A extends unknown[], R>(look: (...args: A) => R) => {
    return (...args: A): R => {
      lookUps++;
      return look(...args);
    };
  };
  const { findApiKeyByHash, findSourceByTokenHash, findOrganisation } = engine.storage;
  const known = createDirectory({
    storage: {
      findApiKeyByHash: counted(findApiKeyByHash),
      findSourceByTokenHash: counted(findSourceByTokenHash),
      findOrganisation: counted(findOrganisation),
    },
    vault: createVault(TEST_SECRET_KEY),
    defaultRetentionDays: 30,
    mayCache,
  });
  return { known, lookUps: () => lookUps };
}

test('a key is looked up once, and again after configuration changed', async () => {
  const { known, lookUps } = open();
  const first = await known.organisationOfKey(seed.apiKey);
  expect(first?.orgId).toBe(seed.orgId);
  expect(await known.organisationOfKey(seed.apiKey)).toEqual(first);
  expect(lookUps()).toBe(1);
  known.invalidate();
  await known.organisationOfKey(seed.apiKey);
  expect(lookUps()).toBe(2);
});

test('a wrong key is never remembered', async () => {
  const { known, lookUps } = open();
  expect(await known.organisationOfKey('sk_wrong')).toBeNull();
  expect(await known.organisationOfKey('sk_wrong')).toBeNull();
  expect(lookUps()).toBe(2);
});

test('what was read before a change is not kept after it', async () => {
  const { known, lookUps } = open();
  const reading = known.organisationOfKey(seed.apiKey);
  known.invalidate();
  await reading;
  await known.organisationOfKey(seed.apiKey);
  expect(lookUps()).toBe(2);
});

test('nothing is remembered while changes elsewhere cannot be heard of', async () => {
  let hears = true;
  const { known, lookUps } = open(() => hears);
  await known.organisationOfKey(seed.apiKey);
  hears = false;
  await known.organisationOfKey(seed.apiKey);
  await known.organisationOfKey(seed.apiKey);
  expect(lookUps()).toBe(3);
});

test('a source comes with its secret opened, and both while one is being rotated', async () => {
  const { known } = open();
  const source = await seed.source('hmac', { perSecond: 2, burst: 5 });
  expect(await known.sourceOfToken(source.token)).toEqual({
    id: source.id,
    orgId: seed.orgId,
    enabled: true,
    auth: 'hmac',
    secret: source.secret,
    previous: null,
    rate: { perSecond: 2, burst: 5 },
  });
  const sealed = createVault(TEST_SECRET_KEY).seal('old', seed.orgId, source.id);
  const change = { previousSealedSecret: sealed, previousSecretUntil: 7 };
  await engine.storage.updateSource(seed.orgId, source.id, change, 1);
  known.invalidate();
  expect((await known.sourceOfToken(source.token))?.previous).toEqual({ secret: 'old', until: 7 });
});

test('retention is the organisation’s own, or the installation’s', async () => {
  const { known } = open();
  expect(await known.retentionMs(seed.orgId)).toBe(30 * day);
  await engine.storage.updateOrganisation(seed.orgId, { retentionDays: 7 });
  known.invalidate();
  expect(await known.retentionMs(seed.orgId)).toBe(7 * day);
  expect(await known.retentionMs('org_gone')).toBe(30 * day);
});
