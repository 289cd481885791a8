import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import type { EventRow } from '@sluice/contract/dashboard-events';
import { Hono } from 'hono';
import { temporaryDirectory } from '../../../test/support/service.ts';
import { days, systemClock } from '../../core/clock.ts';
import { idFloor, idTime, newId } from '../../core/ids.ts';
import type { StorageEngine } from '../../core/ports.ts';
import { createVault, hashSecret } from '../../core/vault.ts';
import { openStorage } from '../../storage/open.ts';
import { createLiveFeed } from '../../telemetry/live-feed.ts';
import type { WebEnv } from '../env.ts';
import { createCursors } from '../paging.ts';
import { createCalls } from './calls.ts';
import { eventCalls } from './events.ts';
import { createSessions } from './sessions.ts';

const directory = temporaryDirectory();
const app = new Hono<WebEnv>();
const EVENTS = 9_000;
const receivedAt = Date.now() - days(1);
let engine: StorageEngine;

beforeAll(async () => {
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  const { storage } = engine;
  const orgId = newId('org');
  const user = { id: newId('usr'), email: 'a@example.com', passwordHash: '', createdAt: 0 };
  const org = { id: orgId, name: 'Acme', retentionDays: null, searchableTraits: [], createdAt: 0 };
  await storage.createFirstUser(user, org);
  const expiresAt = Date.now() + days(1);
  const session = { tokenHash: hashSecret('token'), userId: user.id, orgId, createdAt: 0, expiresAt };
  await storage.createSession(session);

  const at = receivedAt;
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    id: idFloor('evt', at + n),
    type: 'x',
    icon: null,
    payload: n === 0 ? '{"word":"needle"}' : '{}',
    senderId: null,
    entityKind: null,
    entityExternalId: null,
    happenedAt: at + n,
  }));
  await storage.append([{ orgId, sourceId: null, receivedAt: at, events, idempotency: null }]);

  const calls = createCalls(app, {
    clock: systemClock,
    sessions: createSessions(storage, systemClock),
    cursors: createCursors(createVault('a secret key for tests, 32 characters or more')),
    client: { trustProxy: false, baseUrl: undefined },
    limits: { bodyBytes: 1_024, nesting: 64 },
    live: createLiveFeed(),
  });
  eventCalls(calls, {
    storage: {
      ...storage,
      // The real search, out of time after its first slice.
      listEvents: (org, filter, page) => storage.listEvents(org, filter, { ...page, budgetMs: 0 }),
    },
    pipelineDesk: { showTrace: () => ({ steps: [], cutAt: null }), show: () => ({ destinations: [] }) },
  });
});
afterAll(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

interface Found {
  readonly data: EventRow[];
  readonly next_cursor: string | null;
  readonly searched_to: string | null;
}

async function search(query: string): Promise<Found> {
  const request = new Request(`http://localhost/dashboard/api/events?${query}`, {
    headers: { Cookie: 'sluice_session=token' },
  });
  const response = await app.fetch(request, { address: '127.0.0.1' });
  return (await response.json()) as Found;
}

test('a search that runs out of time says how far back it came, and goes on from there', async () => {
  const reached: number[] = [];
  let found = await search('text=needle');
  while (found.next_cursor !== null) {
    expect(found.data).toEqual([]);
    reached.push(Date.parse(found.searched_to ?? ''));
    found = await search(`text=needle&cursor=${found.next_cursor}`);
  }
  expect(reached.length).toBeGreaterThan(0);
  expect(reached).toEqual([...reached].sort((a, b) => b - a));
  for (const time of reached) expect(time).toBeWithin(receivedAt, receivedAt + EVENTS);
  expect(found.searched_to).toBeNull();
  expect(found.data.map(({ id }) => idTime(id))).toEqual([receivedAt]);
});

test('a list that needs no search is not cut short', async () => {
  const { data, searched_to } = await search('limit=100');
  expect([data.length, searched_to]).toEqual([100, null]);
});
