import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { Hono } from 'hono';
import { aDestination, routedTo } from '../../../test/contract/storage/delivery-samples.ts';
import { accepted, aRun, aSettlement, aWish } from '../../../test/contract/storage/pipeline-samples.ts';
import { NOW } from '../../../test/contract/storage/samples.ts';
import { temporaryDirectory } from '../../../test/support/service.ts';
import { days, systemClock } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import type { StorageEngine } from '../../core/ports.ts';
import { createVault, hashSecret } from '../../core/vault.ts';
import { openStorage } from '../../storage/open.ts';
import { createLiveFeed } from '../../telemetry/live-feed.ts';
import type { WebEnv } from '../env.ts';
import { createCursors } from '../paging.ts';
import { createCalls } from './calls.ts';
import { deadLetterCalls } from './dead-letters.ts';
import { createSessions } from './sessions.ts';

const directory = temporaryDirectory();
const app = new Hono<WebEnv>();
const orgId = newId('org');
let engine: StorageEngine;
/** Happens between the moment that letters are found and the one that they are told. */
let meanwhile = async () => {};

beforeAll(async () => {
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  const { storage } = engine;
  const user = { id: newId('usr'), email: 'a@example.com', passwordHash: '', createdAt: 0 };
  const org = { id: orgId, name: 'Acme', retentionDays: null, searchableTraits: [], createdAt: 0 };
  await storage.createFirstUser(user, org);
  const expiresAt = Date.now() + days(1);
  await storage.createSession({
    tokenHash: hashSecret('token'),
    userId: user.id,
    orgId,
    createdAt: 0,
    expiresAt,
  });
  const calls = createCalls(app, {
    clock: systemClock,
    sessions: createSessions(storage, systemClock),
    cursors: createCursors(createVault('a secret key for tests, 32 characters or more')),
    client: { trustProxy: false, baseUrl: undefined },
    limits: { bodyBytes: 1_024, nesting: 64 },
    live: createLiveFeed(),
  });
  deadLetterCalls(calls, {
    storage: {
      ...storage,
      async listFailedEvents(...args) {
        const found = await storage.listFailedEvents(...args);
        await meanwhile();
        return found;
      },
    },
    clock: systemClock,
    onDeliveriesDue: () => {},
  });
});
afterAll(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

const read = async (path: string): Promise<string> => {
  const headers = { Cookie: 'sluice_session=token' };
  const request = new Request(`http://localhost/dashboard/api${path}`, { headers });
  return (await app.fetch(request, { address: '127.0.0.1' })).text();
};

/** The ids of what is exported. */
const exported = async (): Promise<string[]> =>
  (await read('/dead-letters/export'))
    .split('\n')
    .filter(line => line !== '')
    .map(line => (JSON.parse(line) as { id: string }).id)
    .sort();

/** Two deliveries that are dead. */
async function twoDead(): Promise<string[]> {
  const { storage } = engine;
  const { id } = aDestination(orgId);
  await storage.createDestination(aDestination(orgId, { id }));
  await routedTo(storage, orgId, [id], { count: 2 });
  const wish = { orgId, destinationId: id, limit: 2, bytes: 1 << 20 };
  const claimed = await storage.claimDeliveries([wish], { token: 't', now: NOW, until: NOW + 9 });
  const facts = { n: 1, at: NOW, durationMs: 1, status: null, message: 'No.', response: '' };
  const attempt = { ...facts, code: 'timeout' as const, request: '{"target":"","headers":{},"body":""}' };
  const next = { state: 'dead' as const, code: 'timeout' as const };
  await storage.recordAttempts(
    claimed.map(delivery => ({ orgId, deliveryId: delivery.id, token: 't', attempt, next })),
  );
  return claimed.map(delivery => delivery.id);
}

/** Two events that failed. */
async function twoFailed(): Promise<string[]> {
  const ids = await accepted(engine.storage, orgId, 2);
  const { events } = await engine.storage.claimEvents(aWish());
  await engine.storage.settleEvents(
    events.map(claimed => aSettlement(claimed, { runs: [aRun({ outcome: 'failed', reason: 'No.' })] })),
    NOW,
  );
  return ids;
}

test('letters that are mended while the others are read are left out', async () => {
  const [gone = '', dead = ''] = await twoDead();
  const [mended = '', failed = ''] = await twoFailed();
  expect(await exported()).toEqual([gone, dead, mended, failed].sort());
  meanwhile = async () => {
    await engine.storage.discardDelivery(orgId, gone, NOW);
    await engine.storage.discardFailedEvent(orgId, mended);
  };
  expect(await exported()).toEqual([dead, failed].sort());
  meanwhile = async () => void (await engine.storage.discardFailedEvent(orgId, failed));
  expect(await read('/dead-letters')).not.toContain(failed);
});
