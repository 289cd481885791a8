import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { aDestination } from '../../../test/contract/storage/delivery-samples.ts';
import { nextTurn } from '../../../test/support/next-turn.ts';
import { createOutageStorage, type ModelDelivery } from '../../../test/support/outage-storage.ts';
import { minutes, seconds } from '../../core/clock.ts';
import type { AttemptResult } from '../../core/http/attempt.ts';
import type { FormerPolicy } from '../../core/stores/configuration/destinations.ts';
import { createDeliveryWorker, type DeliveryWorker } from './worker.ts';

/**
 * Thousands of outages in simulated time: the worker with its queues, decisions and sweep as they are, one destination
 * that goes down and comes back, and people who change policies, pause, test and probe meanwhile. What is promised of
 * an outage is checked here from what was sent, without the code that decides.
 */

const START = 1_700_000_000_000;
const SCHEDULES = 1_500;
/** A failure is found again with the seed and the path that fast-check prints. */
const SEED = 11;

type Policy = Omit<FormerPolicy, 'until'>;

type Act =
  | { readonly kind: 'arrive'; readonly count: number }
  | { readonly kind: 'policy'; readonly policy: Policy }
  | { readonly kind: 'pause' | 'resume' | 'test' | 'probe' | 'kill' };

interface Plan {
  readonly policy: Policy;
  readonly nodes: 1 | 2;
  /** How long an answer takes while it is well, and while it is down. */
  readonly answersMs: readonly [number, number];
  /** What it asks for while it is down. */
  readonly retryAfterMs: number | null;
  /** When it goes down and for how long, and how long it is well again before it goes down once more. */
  readonly outages: readonly { readonly afterMs: number; readonly forMs: number }[];
  readonly acts: readonly { readonly atMs: number; readonly act: Act }[];
}

const policies: fc.Arbitrary<Policy> = fc.record({
  attempts: fc.integer({ min: 1, max: 6 }),
  schedule_s: fc
    .array(fc.constantFrom(0, 0.5, 1, 5, 30, 120, 900), { minLength: 1, maxLength: 4 })
    .map(delays => [0, ...delays]),
  timeout_s: fc.constantFrom(1, 5, 15, 60),
});

const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('arrive' as const), count: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('policy' as const), policy: policies }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('pause', 'resume', 'test', 'probe', 'kill') }),
  },
);

const plans: fc.Arbitrary<Plan> = fc.record({
  policy: policies,
  nodes: fc.constantFrom(1, 1, 2),
  answersMs: fc.tuple(fc.constantFrom(0, 0, 40), fc.constantFrom(0, 0, 300, 4_000, 59_000)),
  retryAfterMs: fc.constantFrom(null, null, null, seconds(5), seconds(100), minutes(20)),
  outages: fc.array(
    fc.record({
      afterMs: fc.integer({ min: 0, max: seconds(40) }),
      forMs: fc.oneof(
        fc.integer({ min: 1, max: seconds(100) }),
        fc.integer({ min: 1, max: minutes(15) }),
        fc.integer({ min: minutes(15), max: minutes(45) }),
      ),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  acts: fc.array(fc.record({ atMs: fc.integer({ min: 0, max: minutes(20) }), act: acts }), { maxLength: 8 }),
});

interface Send {
  readonly deliveryId: string;
  readonly at: number;
  readonly node: number;
  /** Of a probe: since when the breaker was open when it was claimed. */
  readonly openedAt: number | null;
  readonly isDown: boolean;
  endsAt: number;
  readonly end: () => void;
}

class Broken extends Error {}

/** Runs one plan; throws where something does not hold that is promised. */
async function run(plan: Plan): Promise<void> {
  const clock = { time: START, now: () => clock.time };
  const sample = aDestination('org_a');
  const policy = { ...sample.policy, ...plan.policy, concurrency: 16 };
  const workers: { worker: DeliveryWorker; kill(): void }[] = [];
  const storage = createOutageStorage({ ...sample, policy }, change => {
    for (const { worker } of workers) worker.invalidate(change);
  });

  const downs: { from: number; to: number }[] = [];
  for (const { afterMs, forMs } of plan.outages) {
    const from = (downs.at(-1)?.to ?? START) + afterMs;
    downs.push({ from, to: from + forMs });
  }
  const isDown = (at: number) => downs.some(({ from, to }) => at >= from && at < to);
  const recovered = downs.at(-1)?.to ?? START;

  const sends: Send[] = [];
  const sent: Send[] = [];
  let killedAt = 0;
  const held: { readonly policy: Policy; readonly from: number; until: number }[] = [
    { policy: plan.policy, from: START, until: Number.POSITIVE_INFINITY },
  ];
  let hasExceptionalProbe = false;

  function fail(what: string): never {
    throw new Broken(`${what} (at ${(clock.time - START) / 1_000} s)`);
  }

  function send(node: number, deliveryId: string, timeoutMs: number): Promise<AttemptResult> {
    const down = isDown(clock.time);
    const openedAt = storage.deliveries.find(({ id }) => id === deliveryId)?.claimedDownSince ?? null;
    if (openedAt !== null && sends.some(other => other.openedAt !== null && other.endsAt > clock.time))
      fail('Two probes are under way at once');
    const takes = Math.min(plan.answersMs[down ? 1 : 0], timeoutMs);
    const { promise, resolve } = Promise.withResolvers<AttemptResult>();
    const { retryAfterMs } = plan;
    const request = { target: '', headers: {}, body: '' };
    const facts = { request, response: '', durationMs: takes };
    const result: AttemptResult = down
      ? { outcome: 'failed', code: 'bad_status', message: 'no', retryAfterMs, status: 500, ...facts }
      : { outcome: 'delivered', status: 200, ...facts };
    const one = { deliveryId, at: clock.time, node, openedAt, isDown: down, endsAt: clock.time + takes };
    const made: Send = { ...one, end: () => resolve(result) };
    sends.push(made);
    sent.push(made);
    if (openedAt !== null) checkMoment();
    return promise;
  }

  /** A probe leaves at its moment, as the next delivery after nothing waited, or because somebody asked. */
  function checkMoment(): void {
    const { breaker } = storage.destination;
    if (breaker === null || hasExceptionalProbe) return;
    const sinceMs = (clock.time - breaker.openedAt) / 1_000;
    const isPromised = [1, 2, 4, 8, 16].includes(sinceMs) || (sinceMs >= 30 && sinceMs % 30 === 0);
    const isNext = !storage.deliveries.some(
      ({ anchor, createdAt, dueAt, state }) =>
        state !== 'delivered' &&
        state !== 'dead' &&
        Math.min(dueAt, Math.max(anchor, createdAt)) <= (breaker.probeEndedAt ?? breaker.openedAt),
    );
    const last = sent.findLast(
      one => one.openedAt === breaker.openedAt && one.endsAt === breaker.probeEndedAt,
    );
    const askedUntil = last === undefined ? 0 : last.endsAt + (plan.retryAfterMs ?? 0);
    if (clock.time < askedUntil && !isNext) fail('A probe left before it was asked to');
    if (clock.time === askedUntil) return;
    // What a killed node had is free when that is noticed, and its moment has passed.
    if (!isPromised && !isNext && clock.time !== killedAt) fail(`A probe left ${sinceMs} s after it opened`);
  }

  function start(node: number): void {
    const { storage: own, newToken, kill } = storage.node();
    const worker = createDeliveryWorker({
      ...own,
      clock,
      random: () => 0.5,
      entities: { readTraits: async () => null },
      links: { to: () => null },
      prepare: () => ({ readsTraits: false, send: ({ id, timeoutMs }) => send(node, id, timeoutMs) }),
      nodes: () => plan.nodes,
      newToken,
      changeFeedIsLive: () => true,
      onError: error => {
        throw error;
      },
    });
    workers[node] = { worker, kill };
    worker.start();
  }

  /** Until nobody asks storage for anything more. */
  async function settle(): Promise<void> {
    for (const { worker } of workers) worker.wake();
    for (let before = -1, quiet = 0; quiet < 2; ) {
      before = storage.calls;
      await nextTurn();
      quiet = storage.calls === before ? quiet + 1 : 0;
    }
  }

  function act(one: Act): void {
    switch (one.kind) {
      case 'arrive':
        storage.deliver(clock.time, one.count);
        return;
      case 'policy':
        for (const before of held) before.until = Math.min(before.until, clock.time);
        held.push({ policy: one.policy, from: clock.time, until: Number.POSITIVE_INFINITY });
        storage.changePolicy(one.policy, clock.time);
        return;
      case 'pause':
      case 'resume':
        hasExceptionalProbe = true;
        storage.pause(one.kind === 'pause', clock.time);
        return;
      case 'test':
        if (!isDown(clock.time)) storage.closeBreaker();
        return;
      case 'probe':
        hasExceptionalProbe = true;
        storage.hastenProbe(clock.time);
        return;
      case 'kill': {
        if (plan.nodes === 2) return;
        killedAt = clock.time;
        workers[0]?.kill();
        sends.splice(0, sends.length, ...sends.filter(({ endsAt }) => endsAt <= clock.time));
        start(0);
        return;
      }
    }
  }

  const dead = new Set<string>();

  /** What was ended since is checked against what was sent, policy by policy. */
  function checkDead(): void {
    for (const delivery of storage.deliveries) {
      if (delivery.state !== 'dead' || dead.has(delivery.id)) continue;
      dead.add(delivery.id);
      const isGivenUp = delivery.code === 'destination_down';
      // What is under way when a policy is changed has that too.
      const lastEnded = sent.findLast(({ deliveryId }) => deliveryId === delivery.id)?.endsAt ?? START;
      const all = held
        .filter(({ from, until }) => until > delivery.createdAt && (isGivenUp || from <= lastEnded))
        .map(one => one.policy);
      if (isGivenUp) checkGivenUp(delivery, all);
      else if (all.some(({ attempts }) => attempts > delivery.spent))
        fail(`${delivery.id} was ended after ${delivery.spent} attempts of its own`);
    }
  }

  function checkGivenUp(delivery: ModelDelivery, all: readonly Policy[]): void {
    const openedAt = delivery.downSince ?? fail('It was given up while its destination was up');
    // One by which all attempts are made has ended before.
    const goesOn = all.filter(({ attempts }) => attempts > delivery.spent);
    const ends = (goesOn.length > 0 ? goesOn : all).map(one => {
      let end = Math.max(delivery.anchor, openedAt) + seconds(one.timeout_s);
      for (let n = delivery.spent + 2; n <= one.attempts; n++)
        end += seconds(one.schedule_s[n - 1] ?? one.schedule_s.at(-1) ?? 0);
      return end;
    });
    const both = Math.max(...ends, openedAt + minutes(15));
    const probe = sent.findLast(one => one.openedAt === openedAt && one.isDown && one.endsAt <= clock.time);
    if (probe === undefined || probe.at <= both)
      fail(`${delivery.id} was given up ${both - (probe?.at ?? 0)} ms too early`);
  }

  /** While something is due nobody sleeps past a probe's moment, and its next one is never in the past. */
  function checkProbes(): void {
    const { breaker, paused } = storage.destination;
    if (breaker === null || paused) return;
    const isDue = storage.deliveries.some(
      ({ state, dueAt }) => (state === 'pending' || state === 'retrying') && dueAt <= clock.time,
    );
    const isProbing = breaker.probeUntil !== null && breaker.probeUntil > clock.time;
    if (isDue && !isProbing && breaker.nextProbeAt <= clock.time) fail('A probe was due and did not leave');
  }

  const isOver = () => storage.deliveries.every(({ state }) => state === 'delivered' || state === 'dead');

  function nextMoment(): number {
    const { breaker } = storage.destination;
    const moments = [
      ...timeline.map(({ at }) => at),
      ...sends.map(({ endsAt }) => endsAt),
      ...storage.deliveries
        .filter(({ state }) => state === 'pending' || state === 'retrying')
        .map(({ dueAt }) => dueAt),
      breaker?.nextProbeAt ?? 0,
      breaker?.probeUntil ?? 0,
      recovered,
      clock.time + seconds(30),
    ];
    return Math.min(...moments.filter(moment => moment > clock.time));
  }

  const timeline = [
    { at: START, act: { kind: 'arrive', count: 60 } as Act },
    ...downs.map(({ from }) => ({ at: from, act: { kind: 'arrive', count: 60 } as Act })),
    ...plan.acts.map(({ atMs, act: one }) => ({ at: START + atMs, act: one })),
  ].sort((a, b) => a.at - b.at);

  for (let node = 0; node < plan.nodes; node++) start(node);
  try {
    for (let steps = 0; ; steps++) {
      if (steps > 3_000) fail('It does not come to an end');
      while (timeline[0] !== undefined && timeline[0].at <= clock.time) {
        const [next] = timeline.splice(0, 1);
        if (next) act(next.act);
      }
      for (const one of sends.filter(({ endsAt }) => endsAt <= clock.time)) one.end();
      sends.splice(0, sends.length, ...sends.filter(({ endsAt }) => endsAt > clock.time));
      await settle();
      // What is answered at once is answered within this moment.
      if (sends.some(({ endsAt }) => endsAt <= clock.time)) continue;
      checkDead();
      checkProbes();
      if (timeline.length === 0 && clock.time >= recovered) {
        if (isOver()) break;
        if (storage.destination.paused) act({ kind: 'resume' });
      }
      clock.time = nextMoment();
    }
    // The breaker may stay open from one outage into the next, where no probe leaves between them.
    const isShort = recovered - (downs[0]?.from ?? START) < minutes(15);
    if (isShort && storage.deliveries.some(({ code }) => code === 'destination_down'))
      fail('A short outage has ended something');
    if (storage.destination.breaker !== null && isDeliveredLast(sent))
      fail('It is back, and the breaker is open');
  } finally {
    for (const { kill, worker } of workers) {
      kill();
      worker.wake();
    }
  }
}

const isDeliveredLast = (sent: readonly Send[]): boolean => sent.at(-1)?.isDown === false;

test('an outage ends no delivery before its time, is probed at the promised moments, and what waits arrives', async () => {
  await fc.assert(fc.asyncProperty(plans, run), { seed: SEED, numRuns: SCHEDULES, endOnFailure: true });
  expect(SCHEDULES).toBeGreaterThan(1_000);
});
