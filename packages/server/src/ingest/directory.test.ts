import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { everyStore } from '../../test/support/every-store.ts';
import {
  type Seed,
  seedOrganisation,
  TEST_SECRET_KEY,
  temporaryDirectory,
} from '../../test/support/service.ts';
import { createVault } from '../core/secrets/vault.ts';
import type { ConfigurationChange } from '../core/stores/change.ts';
import { sourceSecret } from '../core/stores/configuration/sources.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
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
  const { findApiKeyByHash, findSourceByTokenHash, findOrganisation } = everyStore(engine);
  const known = createDirectory({
    configuration: {
      findApiKeyByHash: counted(findApiKeyByHash),
      findSourceByTokenHash: counted(findSourceByTokenHash),
    },
    accounts: { findOrganisation: counted(findOrganisation) },
    vault: createVault(TEST_SECRET_KEY),
    ports: { fetchText: async () => '' },
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
  known.invalidate(null);
  await known.organisationOfKey(seed.apiKey);
  expect(lookUps()).toBe(2);
});

test('a wrong key is never cached', async () => {
  const { known, lookUps } = open();
  expect(await known.organisationOfKey('sk_wrong')).toBeNull();
  expect(await known.organisationOfKey('sk_wrong')).toBeNull();
  expect(lookUps()).toBe(2);
});

test('what was read before a change is not kept after it', async () => {
  const { known, lookUps } = open();
  const reading = known.organisationOfKey(seed.apiKey);
  known.invalidate(null);
  await reading;
  await known.organisationOfKey(seed.apiKey);
  expect(lookUps()).toBe(2);
});

test('nothing is cached while changes elsewhere cannot be received', async () => {
  let isLive = true;
  const { known, lookUps } = open(() => isLive);
  await known.organisationOfKey(seed.apiKey);
  isLive = false;
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
    provider: null,
    rules: null,
  });
  const sealed = createVault(TEST_SECRET_KEY).seal(
    'old',
    sourceSecret({ orgId: seed.orgId, id: source.id }, 'previous_secret'),
  );
  const change = { previousSealedSecret: sealed, previousSecretUntil: 7 };
  await engine.configuration.updateSource(seed.orgId, source.id, change, 1);
  known.invalidate(null);
  expect((await known.sourceOfToken(source.token))?.previous).toEqual({ secret: 'old', until: 7 });
});

test('retention is the organisation’s own, or the installation’s', async () => {
  const { known } = open();
  expect(await known.retentionMs(seed.orgId)).toBe(30 * day);
  await engine.accounts.updateOrganisation(seed.orgId, { retentionDays: 7 });
  known.invalidate(null);
  expect(await known.retentionMs(seed.orgId)).toBe(7 * day);
  expect(await known.retentionMs('org_gone')).toBe(30 * day);
});

test('a burst of requests with a key that is not known yet makes one look-up', async () => {
  const { known, lookUps } = open();
  const found = await Promise.all(Array.from({ length: 100 }, () => known.organisationOfKey(seed.apiKey)));
  expect(new Set(found.map(key => key?.orgId))).toEqual(new Set([seed.orgId]));
  expect(lookUps()).toBe(1);
});

test('whoever asks after a change shares no look-up that began before it', async () => {
  const { known, lookUps } = open();
  const before = known.organisationOfKey(seed.apiKey);
  known.invalidate(null);
  const after = known.organisationOfKey(seed.apiKey);
  await Promise.all([before, after]);
  expect(lookUps()).toBe(2);
  // The second was read after the change, and is kept.
  expect(known.organisationOfKey(seed.apiKey)).not.toBeInstanceOf(Promise);
});

test('look-ups are neither shared nor kept while changes elsewhere cannot be received', async () => {
  let isLive = false;
  const { known, lookUps } = open(() => isLive);
  await Promise.all([known.organisationOfKey(seed.apiKey), known.organisationOfKey(seed.apiKey)]);
  expect(lookUps()).toBe(2);
  isLive = true;
  await known.organisationOfKey(seed.apiKey);
  expect(lookUps()).toBe(3);
});

test('a look-up that fails is everybody’s who shares it, and is made again for the next', async () => {
  let fails = true;
  const known = createDirectory({
    accounts: engine.accounts,
    configuration: {
      ...engine.configuration,
      findApiKeyByHash: hash =>
        fails ? Promise.reject(new Error('no')) : engine.configuration.findApiKeyByHash(hash),
    },
    vault: createVault(TEST_SECRET_KEY),
    ports: { fetchText: async () => '' },
    defaultRetentionDays: 30,
    mayCache: () => true,
  });
  const both = await Promise.allSettled([1, 2].map(() => known.organisationOfKey(seed.apiKey)));
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  expect((await known.organisationOfKey(seed.apiKey))?.orgId).toBe(seed.orgId);
});

test('a key that is known is answered at once', async () => {
  const { known } = open();
  await known.organisationOfKey(seed.apiKey);
  expect(known.organisationOfKey(seed.apiKey)).toMatchObject({ orgId: seed.orgId });
});

describe('a change of configuration', () => {
  /** Two organisations, each with a key, a source and its retention, all of them known. */
  async function twoOrganisations() {
    const { known, lookUps } = open();
    const other = await seedOrganisation(engine);
    const ours = { seed, source: await seed.source('none') };
    const theirs = { seed: other, source: await other.source('none') };
    const ask = {
      key: (of: typeof ours) => known.organisationOfKey(of.seed.apiKey),
      source: (of: typeof ours) => known.sourceOfToken(of.source.token),
      retention: (of: typeof ours) => known.retentionMs(of.seed.orgId),
    };
    const all = Object.entries(ask);
    for (const [, look] of all) for (const of of [ours, theirs]) await look(of);
    return {
      ours,
      known,
      /** What of an organisation has to be looked up again. */
      async dropped(change: ConfigurationChange | null) {
        known.invalidate(change);
        const again: string[] = [];
        for (const [name, look] of all) {
          for (const of of [ours, theirs]) {
            const before = lookUps();
            await look(of);
            if (lookUps() > before) again.push(`${of === ours ? 'our' : 'their'} ${name}`);
          }
        }
        return again;
      },
    };
  }

  test('drops what it names, of that organisation alone', async () => {
    const { ours, known, dropped } = await twoOrganisations();
    const organisationId = ours.seed.orgId;
    expect(await dropped({ organisationId, what: 'keys' })).toEqual(['our key']);
    expect(await dropped({ organisationId, what: 'sources' })).toEqual(['our source']);
    expect(await dropped({ organisationId, what: 'organisation' })).toEqual([
      'our key',
      'our source',
      'our retention',
    ]);
    expect(await dropped({ organisationId, what: 'pipelines' })).toEqual([]);
    expect(await dropped({ organisationId, what: 'destinations' })).toEqual([]);
    const id = (await known.organisationOfKey(ours.seed.apiKey))?.id ?? '';
    expect(await dropped({ organisationId, what: 'keys', id: 'key_other' })).toEqual([]);
    expect(await dropped({ organisationId, what: 'keys', id })).toEqual(['our key']);
    expect(await dropped({ organisationId, what: 'sources', id: ours.source.id })).toEqual(['our source']);
  });

  test('drops everything where changes may have been missed', async () => {
    const { dropped } = await twoOrganisations();
    expect(await dropped(null)).toHaveLength(6);
  });
});
