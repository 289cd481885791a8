import { beforeEach, expect, test } from 'bun:test';
import type { Count } from '../core/stores/counters.ts';
import type { ClaimedDelivery } from '../core/stores/delivery-queue.ts';
import type { Settlement } from '../core/stores/event-queue.ts';
import { type CountKeeper, createCountKeeper } from './counters.ts';

const MINUTE = 60_000;
let now = 0;
let stored: Count[];
let isAway: boolean;
let keeper: CountKeeper;

beforeEach(() => {
  now = 100 * MINUTE + 5_000;
  stored = [];
  isAway = false;
  const addCounts = async (counts: readonly Count[]) => {
    if (isAway) throw new Error('away');
    stored.push(...counts);
  };
  keeper = createCountKeeper({ addCounts }, { now: () => now });
});

const request = (sourceId: string | null) => ({
  orgId: 'org',
  sourceId,
  receivedAt: now,
  events: [],
  idempotency: null,
});
const recorded = () => stored.map(({ subject, name, amount }) => `${subject} ${name} ${amount}`).toSorted();

const settlement = (given: Partial<Settlement> = {}): Settlement => ({
  orgId: 'org',
  eventId: 'evt',
  jobId: null,
  token: 't',
  runs: [],
  round: 'first',
  parked: [],
  matchedSources: null,
  tallies: [],
  ...given,
});
const run = (outcome: 'routed' | 'dropped' | 'failed', ...destinations: string[]) => ({
  id: 'run',
  pipelineId: 'pipe',
  pipelineName: 'Pipe',
  version: 1,
  sourceName: null,
  outcome,
  step: null,
  reason: null,
  trace: '',
  output: '',
  notes: [],
  claims: [],
  destinations,
});
const delivery = (given: Partial<ClaimedDelivery> = {}): ClaimedDelivery => ({
  id: 'dlv',
  orgId: 'org',
  destinationId: 'dst',
  event: {
    id: 'evt',
    type: 'x',
    icon: null,
    senderId: null,
    entity: null,
    happenedAt: now,
    receivedAt: now - 1_000,
  },
  output: '',
  sourceName: null,
  isReplay: false,
  budgetAt: now,
  attempt: 0,
  budgetFrom: 0,
  dueAt: now,
  ...given,
});

test('what happens within a minute is one number, and the next minute another', async () => {
  keeper.received(request('src'), 3);
  keeper.received(request(null), 2);
  now += MINUTE;
  keeper.received(request(null), 1);
  await keeper.flush();
  expect(
    stored.filter(({ subject }) => subject === '').map(({ at, amount }) => [at / MINUTE, amount]),
  ).toEqual([
    [100, 5],
    [101, 1],
  ]);
  stored = [];
  await keeper.flush();
  expect(stored).toEqual([]);
});

test('a flush that fails keeps its counts for the next, in the minute they belong to', async () => {
  keeper.received(request(null), 3);
  isAway = true;
  await expect(keeper.flush()).rejects.toThrow('away');
  keeper.received(request(null), 1);
  now += MINUTE;
  isAway = false;
  await keeper.flush();
  expect(stored).toEqual([{ orgId: 'org', subject: '', name: 'received', at: 100 * MINUTE, amount: 4 }]);
});

test('an event counts once, its runs and the arrows that it went along each', async () => {
  keeper.settled(
    settlement({ runs: [run('routed', 'dst_a', 'dst_b')], matchedSources: [{ id: 'sdk', name: 'App' }] }),
    { kind: 'settled', deliveries: 2, state: 'processed' },
    ['sdk'],
  );
  await keeper.flush();
  expect(recorded()).toEqual([
    ' processed 1',
    'pipe routed 1',
    'pipe>dst_a deliveries 1',
    'pipe>dst_b deliveries 1',
    'sdk received 1',
    'sdk>pipe runs 1',
  ]);
});

test('a replay is no new event, and one that waits for a run has no state yet', async () => {
  const result = { kind: 'settled', deliveries: 0, state: 'failed' } as const;
  keeper.settled(settlement({ jobId: 'job', round: 'later', runs: [run('failed')] }), result, []);
  keeper.settled(settlement(), { ...result, state: null }, []);
  await keeper.flush();
  expect(recorded()).toEqual(['pipe failed 1']);
});

test('only what was delivered by itself says how long that takes', async () => {
  keeper.attempted(delivery(), { state: 'delivered' });
  keeper.attempted(delivery({ isReplay: true }), { state: 'delivered' });
  keeper.attempted(delivery({ budgetFrom: 8 }), { state: 'delivered' });
  keeper.attempted(delivery(), { state: 'retrying', dueAt: now });
  keeper.attempted(delivery(), { state: 'dead', code: 'timeout' });
  keeper.expired('org', 'dst', 7);
  await keeper.flush();
  expect(recorded()).toEqual([
    ' dead 8',
    ' delivered 3',
    ' latency_20 1',
    'dst dead 8',
    'dst delivered 3',
    'dst failed 2',
  ]);
});
