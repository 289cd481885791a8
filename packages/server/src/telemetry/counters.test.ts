import { beforeEach, describe, expect, test } from 'bun:test';
import { idFloor } from '../core/ids.ts';
import { type Count, MOST_COUNTED_TYPES, UNWRITTEN_MS } from '../core/stores/counters.ts';
import type { ClaimedDelivery } from '../core/stores/delivery-queue.ts';
import type { Settlement } from '../core/stores/event-queue.ts';
import { packDurations, packedLatencyName } from '../core/stores/latency.ts';
import { type CountKeeper, createCountKeeper } from './counters.ts';

const MINUTE = 60_000;
let now = 0;
let stored: Count[];
let isAway: boolean;
/** As which node each flush was written. */
let nodes: (string | null)[];
let nodeId: string | null;
let known: string[];
let keeper: CountKeeper;

beforeEach(() => {
  now = 100 * MINUTE + 5_000;
  stored = [];
  isAway = false;
  nodes = [];
  nodeId = 'one';
  known = [];
  const addCounts = async (counts: readonly Count[], by: string | null) => {
    if (isAway) throw new Error('away');
    stored.push(...counts);
    nodes.push(by);
  };
  const listCountedTypes = async () => {
    if (isAway) throw new Error('away');
    return known;
  };
  keeper = createCountKeeper(
    { addCounts, listCountedTypes },
    { now: () => now },
    () => nodeId,
    () => now,
  );
});

const anEvent = {
  type: 'x',
  icon: null,
  payload: '{}',
  senderId: null,
  entityKind: null,
  entityExternalId: null,
  happenedAt: 0,
};
const request = (sourceId: string | null) => ({
  orgId: 'org',
  sourceId,
  receivedAt: now,
  events: [{ ...anEvent, id: idFloor('evt', now) }],
  idempotency: null,
});
const NEW = [{ id: 'evt', duplicate: false }];
const recorded = () => stored.map(({ subject, name, amount }) => `${subject} ${name} ${amount}`).toSorted();

const settlement = (given: Partial<Settlement> = {}): Settlement => ({
  orgId: 'org',
  eventId: idFloor('evt', now - MINUTE),
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
  payload: '{}',
  notes: [],
  claims: [],
  destinations,
});
const delivery = (given: Partial<ClaimedDelivery> = {}): ClaimedDelivery => ({
  id: idFloor('dlv', now - MINUTE),
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
  isRetried: false,
  budgetAt: now,
  attempt: 0,
  budgetFrom: 0,
  dueAt: now,
  ...given,
});

test('what happens within a minute is one number, and the next minute another', async () => {
  keeper.received(request('src'), 3, NEW);
  keeper.received(request(null), 2, NEW);
  now += MINUTE;
  keeper.received(request(null), 1, NEW);
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
  keeper.received(request(null), 3, NEW);
  isAway = true;
  await expect(keeper.flush()).rejects.toThrow('away');
  keeper.received(request(null), 1, NEW);
  now += MINUTE;
  isAway = false;
  await keeper.flush();
  const at = 100 * MINUTE;
  expect(stored).toEqual([
    { orgId: 'org', subject: '', name: 'received', at, amount: 4 },
    { orgId: 'org', subject: '#types', name: 'x', at, amount: 2 },
  ]);
});

test('what was counted before this process was a node waits until it is one', async () => {
  nodeId = null;
  keeper.received(request(null), 3, []);
  await keeper.flush();
  expect(stored).toEqual([]);
  nodeId = 'one';
  await keeper.flush();
  expect([recorded(), nodes]).toEqual([[' received 3'], ['one']]);
});

test('what was counted as a node that is dead by now is written as that, and what comes after it as the next', async () => {
  keeper.received(request(null), 1, []);
  await keeper.flush();
  keeper.received(request(null), 2, []);
  nodeId = 'two';
  await keeper.flush();
  keeper.received(request(null), 3, []);
  await keeper.flush();
  expect(stored.map(({ amount }, n) => [amount, nodes[n]])).toEqual([
    [1, 'one'],
    [2, 'one'],
    [3, 'two'],
  ]);
});

test('what could not be written as one node is none of the next, though more was counted since', async () => {
  isAway = true;
  keeper.received(request(null), 1, NEW);
  // It does not come to writing: the types that are counted are not to be had.
  await expect(keeper.flush()).rejects.toThrow('away');
  nodeId = 'two';
  keeper.received(request(null), 1, NEW);
  isAway = false;
  await keeper.flush();
  expect([recorded(), nodes]).toEqual([[' received 2', '#types x 2'], ['one']]);
});

test('what failed while it was written is nobody’s until it is written: it may be there already', async () => {
  isAway = true;
  keeper.received(request(null), 1, []);
  await expect(keeper.flush()).rejects.toThrow('away');
  keeper.received(request(null), 1, NEW);
  // The types are not to be had: still in doubt.
  await expect(keeper.flush()).rejects.toThrow('away');
  isAway = false;
  await keeper.flush();
  keeper.received(request(null), 1, []);
  await keeper.flush();
  expect(nodes).toEqual([null, 'one']);
});

test('what could not be written for too long is nobody’s: it may have been counted again', async () => {
  isAway = true;
  keeper.received(request(null), 1, []);
  await expect(keeper.flush()).rejects.toThrow('away');
  now += UNWRITTEN_MS + 1;
  keeper.received(request(null), 1, []);
  isAway = false;
  await keeper.flush();
  keeper.received(request(null), 1, []);
  await keeper.flush();
  expect(nodes).toEqual([null, 'one']);
});

test('an event that was counted with its settlement is not counted a second time; its runs are', async () => {
  const result = { kind: 'settled', deliveries: 0, state: 'failed', isCounted: true } as const;
  keeper.settled(settlement({ runs: [run('failed')] }), result, [], now);
  await keeper.flush();
  expect(recorded()).toEqual(['pipe dead 1', 'pipe failed 1']);
});

test('an event counts once, its runs and the arrows that it went along each', async () => {
  keeper.settled(
    settlement({ runs: [run('routed', 'dst_a', 'dst_b')], matchedSources: [{ id: 'sdk', name: 'App' }] }),
    { kind: 'settled', deliveries: 2, state: 'processed' },
    ['sdk'],
    now,
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

test('an event that a replay gives another state moves to that; one that waits for a run has none yet', async () => {
  const result = { kind: 'settled', deliveries: 0, state: 'failed' } as const;
  const again = settlement({ jobId: 'job', round: 'later' });
  keeper.settled(again, { ...result, before: 'processed' }, [], now);
  keeper.settled(again, { ...result, before: 'failed' }, [], now);
  keeper.settled(settlement(), { ...result, state: null }, [], now);
  await keeper.flush();
  expect(recorded()).toEqual([' failed 1', ' processed -1']);
});

test('what goes through a pipeline counts when the event came in, what it makes when that was made, what dies at once', async () => {
  const settledAt = now - MINUTE;
  const runs = [
    { ...run('failed'), step: 0, durations: packDurations([1, 1]) },
    { ...run('routed', 'dst'), pipelineId: 'pipf' },
  ];
  const tallies = [{ pipelineId: 'pipe', version: 1, step: 0, tally: 'cache_hit', count: 1 } as const];
  const eventId = idFloor('evt', now - 60 * MINUTE);
  const result = { kind: 'settled', deliveries: 1, state: 'processed' } as const;
  keeper.settled(settlement({ eventId, runs, tallies }), result, ['src'], settledAt);
  await keeper.flush(true);
  expect(stored.map(({ subject, name, at }) => `${subject} ${name} ${at / MINUTE}`).toSorted()).toEqual([
    ' processed 40',
    'pipe cache_hit 40',
    'pipe dead 100',
    'pipe failed 40',
    'pipe latency_0 40',
    'pipe@1#0 cache_hit 40',
    'pipe@1#0 latency_0 40',
    'pipf routed 40',
    'pipf>dst deliveries 99',
    'src>pipe runs 40',
    'src>pipf runs 40',
  ]);
});

test('an event that a pipeline runs again is no second one: the latest run counts, and each step that is new to it', async () => {
  const result = { kind: 'settled', deliveries: 1, state: 'processed', before: 'processed' } as const;
  const ran = { ...run('routed', 'dst'), durations: packDurations([1, 1, 1, 1]) };
  const inPlaceOf = { outcome: 'dropped', version: 1, step: 1 } as const;
  const repeated = [{ pipelineId: 'pipe', inPlaceOf, stepsBefore: 2 }];
  keeper.settled(settlement({ round: 'later', runs: [ran] }), { ...result, repeated }, ['src'], now);
  await keeper.flush(true);
  expect(recorded()).toEqual([
    'pipe dropped -1',
    'pipe latency_0 1',
    'pipe routed 1',
    'pipe>dst deliveries 1',
    'pipe@1#1 step_dropped -1',
    'pipe@1#2 latency_0 1',
  ]);
  stored = [];
  // One that began later was quicker.
  const late = [{ pipelineId: 'pipe', inPlaceOf: null, stepsBefore: 3 }];
  keeper.settled(
    settlement({ round: 'later', runs: [run('failed')] }),
    { ...result, repeated: late },
    ['src'],
    now,
  );
  await keeper.flush(true);
  expect(recorded()).toEqual(['pipe dead 1']);
});

test('of the organisation, events count when they came in and deliveries when they were made', async () => {
  const earlier = { ...anEvent, id: idFloor('evt', now - MINUTE) };
  keeper.received({ ...request(null), events: [earlier] }, 1, NEW);
  keeper.settled(settlement(), { kind: 'settled', deliveries: 0, state: 'unrouted' }, [], now);
  keeper.attempted(delivery(), { state: 'delivered' });
  await keeper.flush();
  const whole = stored.filter(({ subject }) => subject === '');
  expect(whole.map(({ name, at }) => `${name} ${at / MINUTE}`).toSorted()).toEqual([
    'delivered 99',
    'latency_20 99',
    'received 99',
    'unrouted 99',
  ]);
  const there = stored.filter(({ subject }) => subject === 'dst');
  expect(there.map(({ name, at }) => `${name} ${at / MINUTE}`)).toEqual(['delivered 99', 'latency_20 99']);
});

test('a destination that is gone was sent nothing', async () => {
  const result = { kind: 'settled', deliveries: 1, state: 'processed', gone: ['dst_b'] } as const;
  keeper.settled(settlement({ runs: [run('routed', 'dst_a', 'dst_b')] }), result, [], now);
  await keeper.flush();
  expect(recorded()).toEqual([' processed 1', 'pipe routed 1', 'pipe>dst_a deliveries 1']);
});

test('only what was delivered by itself says how long that takes', async () => {
  keeper.attempted(delivery(), { state: 'delivered' });
  keeper.attempted(delivery({ isReplay: true }), { state: 'delivered' });
  keeper.attempted(delivery({ isRetried: true, budgetFrom: 8 }), { state: 'delivered' });
  // Probes are none of its budget either; nobody had to ask for those.
  keeper.attempted(delivery({ budgetFrom: 3 }), { state: 'delivered' });
  keeper.attempted(delivery(), { state: 'retrying', dueAt: now });
  keeper.attempted(delivery(), { state: 'dead', code: 'timeout' });
  keeper.expired('org', 'dst', 7);
  await keeper.flush();
  expect(recorded()).toEqual([
    ' delivered 4',
    ' latency_20 2',
    'dst dead 8',
    'dst delivered 4',
    'dst failed 2',
    'dst latency_20 2',
  ]);
});

test('of a run each step counts that it came to, where it ended, and what its model was asked', async () => {
  const result = { kind: 'settled', deliveries: 0, state: 'dropped' } as const;
  // Of the whole run, and of two steps.
  const dropped = { ...run('dropped'), version: 3, step: 1, durations: packDurations([40, 0.04, 39.9]) };
  const routed = { ...run('routed'), version: 3, durations: packDurations([3, 1, 1, 1]) };
  const tallies = [{ pipelineId: 'pipe', version: 3, step: 2, tally: 'cache_hit', count: 1 } as const];
  keeper.settled(settlement({ runs: [dropped], tallies }), result, [], now);
  keeper.settled(settlement({ runs: [routed] }), { ...result, state: 'processed' }, [], now);
  await keeper.flush(true);
  expect(recorded()).toEqual([
    ' dropped 1',
    ' processed 1',
    'pipe cache_hit 1',
    'pipe dropped 1',
    'pipe latency_11 1',
    'pipe latency_4 1',
    'pipe routed 1',
    'pipe@3#0 latency_0 2',
    'pipe@3#1 latency_0 1',
    'pipe@3#1 latency_11 1',
    'pipe@3#1 step_dropped 1',
    'pipe@3#2 cache_hit 1',
    'pipe@3#2 latency_0 1',
  ]);
});

test('steps are written every five seconds, in the minute they belong to; all else every time', async () => {
  const result = { kind: 'settled', deliveries: 0, state: 'processed' } as const;
  const runs = [{ ...run('routed'), durations: packDurations([1, 1]) }];
  const settle = () => keeper.settled(settlement({ runs }), result, [], now);
  const steps = () =>
    stored
      .filter(({ subject }) => subject.includes('@'))
      .map(({ at, amount }) => `${at / MINUTE}: ${amount}`);
  now = 101 * MINUTE - 2_000;
  await keeper.flush();
  for (let second = 0; second < 5; second++, now += 1_000) {
    settle();
    await keeper.flush();
  }
  for (const name of ['routed', packedLatencyName(packDurations([1]), 0)])
    expect(stored.filter(one => one.subject === 'pipe' && one.name === name)).toHaveLength(5);
  expect(steps()).toEqual([]);
  await keeper.flush();
  expect(steps()).toEqual(['99: 2', '100: 3']);
  settle();
  await keeper.flush();
  expect(steps()).toHaveLength(2);
  isAway = true;
  await expect(keeper.flush(true)).rejects.toThrow('away');
  isAway = false;
  await keeper.flush();
  expect(steps()).toEqual(['99: 2', '100: 3', '100: 1']);
});

test('events of a source count when they came in, and requests that it rejected when that was', async () => {
  keeper.received({ ...request('src'), events: [{ ...anEvent, id: idFloor('evt', now - MINUTE) }] }, 1, []);
  const matchedSources = [{ id: 'sdk', name: 'App' }];
  keeper.settled(
    settlement({ matchedSources }),
    { kind: 'settled', deliveries: 0, state: 'unrouted' },
    [],
    now,
  );
  keeper.rejected({ orgId: 'org', id: 'src' });
  await keeper.flush();
  const ofSources = stored.filter(({ subject }) => subject !== '');
  expect(ofSources.map(({ subject, name, at }) => `${subject} ${name} ${at / MINUTE}`).toSorted()).toEqual([
    'sdk received 99',
    'src received 99',
    'src rejected 100',
  ]);
});

describe('types', () => {
  const sent = (types: readonly string[]) => ({
    ...request(null),
    events: types.map(type => ({ ...anEvent, type, id: idFloor('evt', now) })),
  });
  const receive = (...types: string[]) =>
    keeper.received(
      sent(types),
      types.length,
      types.map(id => ({ id, duplicate: false })),
    );
  const typesOf = () =>
    stored.filter(({ subject }) => subject === '#types').map(({ name, amount }) => `${name} ${amount}`);

  test('are counted by name, duplicates not at all', async () => {
    const stores = ['a', 'a', 'b', 'a', 'c'];
    keeper.received(
      sent(stores),
      3,
      stores.map((id, n) => ({ id, duplicate: n === 1 || n === 4 })),
    );
    await keeper.flush();
    expect(typesOf().toSorted()).toEqual(['a 2', 'b 1']);
  });

  test('beyond the limit are not counted by name, whoever makes them up; those that are known always are', async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `made-up-${n}`);
    receive(...many);
    await keeper.flush();
    expect(typesOf()).toHaveLength(MOST_COUNTED_TYPES);
    stored = [];
    receive(...many.toReversed(), 'made-up-0');
    await keeper.flush();
    expect(typesOf()).toContain('made-up-0 2');
    expect(typesOf()).toHaveLength(MOST_COUNTED_TYPES);
  });

  test('that are counted by another node are known; room that comes is used, within a minute', async () => {
    known = Array.from({ length: MOST_COUNTED_TYPES }, (_, n) => `theirs-${n}`);
    receive('ours', 'theirs-7');
    await keeper.flush();
    expect(typesOf()).toEqual(['theirs-7 1']);
    stored = [];
    known = ['theirs-7'];
    receive('ours');
    await keeper.flush();
    expect(typesOf()).toEqual([]);
    now += MINUTE;
    receive('ours');
    await keeper.flush();
    expect(typesOf()).toEqual(['ours 1']);
  });
});
