import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { type EveryStore, everyStore } from '../../test/support/every-store.ts';
import { temporaryDirectory } from '../../test/support/service.ts';
import { days, hours, minutes } from '../core/clock.ts';
import { idFloor, newId } from '../core/ids.ts';
import { stepOf } from '../core/stores/counters.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
import { openStorage } from '../storage/open.ts';
import { createRetention } from './retention.ts';

let now: number;
let directory: string;
let engine: StorageEngine;
let storage: EveryStore;
let pauses: number;
let errors: unknown[];

beforeEach(async () => {
  now = Date.now() - days(100);
  directory = temporaryDirectory();
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  storage = everyStore(engine);
  pauses = 0;
  errors = [];
});
afterEach(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

const run = (overrides: Partial<Parameters<typeof createRetention>[0]> = {}) =>
  createRetention({
    accounts: storage,
    counters: storage,
    journal: storage,
    upkeep: storage,
    clock: { now: () => now },
    defaultRetentionDays: 30,
    deadLetterDays: 90,
    pause: async () => void pauses++,
    isStopping: () => false,
    onError: error => void errors.push(error),
    ...overrides,
  })();

async function makeOrganisation(retentionDays: number | null): Promise<string> {
  const id = newId('org');
  await storage.createOrganisation(
    { id, name: 'Acme', retentionDays, searchableTraits: [], createdAt: now },
    'usr_x',
  );
  return id;
}

/** The n-th id of this moment; `newId` never runs backwards within a process, and this clock does. */
const eventId = (n: number) => idFloor('evt', now).slice(0, -5) + String(n).padStart(5, '0');

async function receive(orgId: string, events: number): Promise<void> {
  const event = {
    type: 'x',
    icon: null,
    payload: '{}',
    senderId: null,
    entityKind: null,
    entityExternalId: null,
    happenedAt: now,
  };
  await storage.append([
    {
      orgId,
      sourceId: null,
      receivedAt: now,
      events: Array.from({ length: events }, (_, n) => ({ ...event, id: eventId(n) })),
      idempotency: { scope: orgId, key: String(now), bodyHash: null, expiresAt: now + days(1) },
    },
  ]);
  await process();
}

/** Settles all that waits, as if nobody listened. */
async function process(): Promise<void> {
  const input = { token: 'test', now, limit: 5_000, bytes: 1 << 28, after: '', except: [] };
  const { events } = await storage.claimEvents(input);
  const settlements = events.map(({ orgId, event, token }) => ({
    orgId,
    eventId: event.id,
    jobId: null,
    token,
    runs: [],
    round: 'first' as const,
    parked: [],
    matchedSources: [],
    tallies: [],
  }));
  await storage.settleEvents(settlements, now);
}

const count = async (orgId: string) =>
  (await storage.listEvents(orgId, {}, { limit: 10_000, below: null, budgetMs: 10_000 })).events.length;

test('events go when their organisation’s time is up, and not before', async () => {
  const byDefault = await makeOrganisation(null);
  const short = await makeOrganisation(1);
  for (const org of [byDefault, short]) await receive(org, 3);
  now += days(1);
  for (const org of [byDefault, short]) await receive(org, 2);
  await run();
  expect([await count(byDefault), await count(short)]).toEqual([5, 5]);

  now += 1;
  await run();
  expect([await count(byDefault), await count(short)]).toEqual([5, 2]);

  now += days(29);
  await run();
  expect([await count(byDefault), await count(short)]).toEqual([2, 0]);
  expect(errors).toEqual([]);
});

test('counters go with the events that they counted', async () => {
  const org = await makeOrganisation(1);
  const counted = { orgId: org, subject: '', name: 'received', amount: 1 };
  const hour = now - (now % 3_600_000);
  await storage.join({ id: 'one', roles: [], version: '1.2.3', host: 'here' }, true);
  await storage.addCounts([{ ...counted, at: hour }], 'one');
  const left = async () => {
    const window = { from: hour, stepMs: days(1), points: 1 };
    return (await storage.readCounters(org, [''], ['received'], window)).length;
  };
  await run();
  expect(await left()).toBe(1);
  now += days(1) + 1;
  await run();
  expect(await left()).toBe(0);
});

test('of steps the minutes go after three days, and the hours with the events', async () => {
  const org = await makeOrganisation(null);
  const counted = { orgId: org, subject: stepOf(newId('pipe'), 1, 0), name: 'latency_0', amount: 1 };
  const hour = now - (now % hours(1));
  now = hour;
  await storage.join({ id: 'one', roles: [], version: '1.2.3', host: 'here' }, true);
  await storage.addCounts([{ ...counted, at: hour }], 'one');
  const left = async (stepMs: number) => {
    const window = { from: hour, stepMs, points: 1 };
    return (await storage.readCounters(org, [counted.subject], [counted.name], window)).length;
  };
  now += days(3);
  await run();
  expect([await left(minutes(1)), await left(hours(1))]).toEqual([1, 1]);
  now += 1;
  await run();
  expect([await left(minutes(1)), await left(hours(1))]).toEqual([0, 1]);
  now += days(27);
  await run();
  expect([await left(minutes(1)), await left(hours(1))]).toEqual([0, 0]);
});

test('much goes in small slices, with a pause after each', async () => {
  const org = await makeOrganisation(1);
  await receive(org, 1_700);
  now += days(2);
  await run();
  expect(await count(org)).toBe(0);
  expect(pauses).toBe(6);
});

test('a stop takes effect after the slice at hand', async () => {
  const org = await makeOrganisation(1);
  await receive(org, 1_700);
  now += days(2);
  await run({ isStopping: () => pauses > 0 });
  expect(await count(org)).toBe(1_450);
});

test('keys, sessions and invitations go when they have expired', async () => {
  const org = await makeOrganisation(null);
  await receive(org, 1);
  const user = { id: 'usr_x', email: 'x@example.com', passwordHash: 'proved', createdAt: now };
  const first = {
    id: newId('org'),
    name: 'First',
    retentionDays: null,
    searchableTraits: [],
    createdAt: now,
  };
  await storage.createFirstUser(user, first);
  const session = {
    tokenHash: 'hash',
    userId: user.id,
    orgId: org,
    createdAt: now,
    expiresAt: now + days(1),
  };
  expect(await storage.beginSession(session, user.passwordHash)).toBe(true);
  await storage.createInvitation({
    id: newId('inv'),
    orgId: org,
    email: 'a@example.com',
    role: 'viewer',
    codeHash: 'code',
    createdAt: now,
    expiresAt: now + days(1),
    invitedBy: null,
  });
  const key = { scope: org, key: String(now), bodyHash: null, expiresAt: now + days(9) };
  const again = () =>
    storage.append([{ orgId: org, sourceId: null, receivedAt: now, events: [], idempotency: key }]);

  expect(await again()).toMatchObject([{ events: [{ duplicate: true }] }]);
  await run();
  expect(await storage.listInvitations(org, 0)).toHaveLength(1);
  now += days(1);
  await run();
  expect(await storage.listInvitations(org, 0)).toHaveLength(0);
  expect(await storage.findSession('hash', 0)).toBeNull();
  expect(await again()).toEqual([{ kind: 'stored', events: [] }]);
  expect(await count(org)).toBe(1);
});

test('what fails is reported, and keeps nothing else from its time', async () => {
  const [broken, sound] = [await makeOrganisation(1), await makeOrganisation(1)];
  for (const org of [broken, sound]) await receive(org, 2);
  now += days(2);
  const failing = new Error('cannot');
  await run({
    journal: {
      pruneEvents: (org, cutoffs, slice) =>
        org === broken ? Promise.reject(failing) : storage.pruneEvents(org, cutoffs, slice),
    },
    upkeep: { ...storage, pruneExpired: () => Promise.reject(failing) },
  });
  expect(errors).toEqual([failing, failing]);
  expect([await count(broken), await count(sound)]).toEqual([2, 0]);

  await run({ accounts: { listOrganisations: () => Promise.reject(failing) } });
  expect(errors).toHaveLength(3);
});
