import { randomUUID } from 'node:crypto';
import type { Chance } from '../core/backoff.ts';
import { type Clock, minutes, seconds } from '../core/clock.ts';
import { type JsonObject, parseJson, stringifyJson } from '../core/json.ts';
import type {
  AttemptRecord,
  ClaimedDelivery,
  DeliveryStorage,
  StoredDestination,
} from '../core/ports-delivery.ts';
import type { EntityReader } from '../core/ports-pipeline.ts';
import type { AttemptResult } from './attempt.ts';
import { afterAttempt, askBreaker, PROBE_EVERY_MS } from './breaker.ts';
import { decide, longestWait } from './decide.ts';
import type { Destination } from './destination.ts';
import { type Claim, type Lane, openLane, roomIn, toStoredBreaker } from './lane.ts';
import { retryPolicyOf } from './policy.ts';

/**
 * Sends what is due. One loop asks which destinations have something waiting, claims for each as much as its lane
 * has room for, and sleeps until something is due or it is woken. Each lane sends at its own pace; results are
 * written together, and count only while the lease under which they were sent still holds.
 */
export interface DeliveryWorker {
  /** Something may be due: deliveries were made, retried or resumed. */
  wake(): void;
  /** Destinations were changed: what was claimed under their old settings goes back. */
  forget(): void;
  stop(): Promise<void>;
}

export interface DeliveryWorkerOptions {
  readonly storage: DeliveryStorage;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly entities: EntityReader;
  /** Reads a stored destination for good: opens its secrets, compiles its templates. */
  prepare(destination: StoredDestination): Destination;
  /** How many nodes share a destination's rate. */
  nodes(): number;
  /** Whether every lease in the database is one of a former life of this process. */
  readonly isOnlyNode: boolean;
  onAttempt(result: AttemptResult): void;
  onError(error: unknown): void;
}

const LEASE_MS = minutes(2);
const IDLE_MS = seconds(1);
/** What is under way at a stop is waited for this long; then it is given back, and may arrive twice. */
const STOP_PATIENCE_MS = seconds(4);
const SWEPT_AT_ONCE = 500;

export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { storage, clock } = options;
  const lanes = new Map<string, Lane>();
  const underWay = new Map<string, Claim>();
  let results: { record: AttemptRecord; written(): void }[] = [];
  let writing: Promise<void> | null = null;
  let stopping = false;
  let ring: () => void = () => {};
  let rung = false;
  let nextUpkeepAt = 0;

  const wake = () => {
    rung = true;
    ring();
  };

  /** Sleeps until it is woken, or the time is up. Every wake-up counts, also one before the sleep. */
  async function sleep(ms: number): Promise<void> {
    if (!rung && !stopping) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      ring = resolve;
      await promise;
      clearTimeout(timer);
    }
    rung = false;
  }

  const loop = (async () => {
    if (options.isOnlyNode) await recover(Number.MAX_SAFE_INTEGER).catch(options.onError);
    while (!stopping) {
      try {
        await upkeep();
        await sleep(await claimWhatIsDue());
      } catch (error) {
        options.onError(error);
        await sleep(IDLE_MS);
      }
    }
  })();

  /** Answers for how long nothing more can be due, as far as is known. */
  async function claimWhatIsDue(): Promise<number> {
    const now = clock.now();
    let quietUntil = now + IDLE_MS;
    const wishes = [];
    for (const { orgId, destinationId, dueAt } of await storage.listWaitingDestinations()) {
      if (dueAt > now) {
        quietUntil = Math.min(quietUntil, dueAt);
        continue;
      }
      const lane = lanes.get(destinationId) ?? (await admit(orgId, destinationId));
      const limit = lane ? permitted(lane, now) : 0;
      if (limit > 0) wishes.push({ orgId, destinationId, limit });
    }
    if (wishes.length === 0) return Math.max(1, quietUntil - now);

    const token = randomUUID();
    const leaseUntil = clock.now() + LEASE_MS;
    const claimed = await storage.claimDeliveries(wishes, { token, now, until: leaseUntil });
    for (const delivery of claimed) {
      const claim = { delivery, token, leaseUntil };
      const lane = lanes.get(delivery.destinationId);
      if (lane === undefined || stopping) await giveBack([claim]);
      else lane.queue.push(claim);
    }
    for (const { destinationId } of wishes) {
      const lane = lanes.get(destinationId);
      if (lane) sendFrom(lane);
    }
    return claimed.length === 0 ? Math.max(1, quietUntil - now) : 0;
  }

  /** How many may be claimed: what there is room for, one probe, or none. */
  function permitted(lane: Lane, now: number): number {
    const permit = askBreaker(lane.breaker, now);
    if (permit.kind === 'wait') return 0;
    if (permit.kind === 'go') {
      const room = roomIn(lane);
      if (room > 0) lane.finishedSinceClaim = 0;
      return room;
    }
    lane.breaker = permit.breaker;
    return 1;
  }

  async function admit(orgId: string, destinationId: string): Promise<Lane | null> {
    const stored = await storage.findDestination(orgId, destinationId);
    if (stored === null || stored.paused) return null;
    try {
      const lane = openLane(stored, options.prepare(stored), { clock, nodes: options.nodes });
      lanes.set(destinationId, lane);
      return lane;
    } catch (error) {
      // One destination that cannot be read must not keep the others waiting.
      options.onError(error);
      return null;
    }
  }

  function sendFrom(lane: Lane): void {
    while (lane.queue.length > 0 && lane.sending < lane.policy.concurrency && !stopping) {
      const wait = lane.rate.spend();
      if (wait > 0) {
        setTimeout(() => sendFrom(lane), wait);
        return;
      }
      const claim = lane.queue.shift();
      if (claim === undefined) return;
      if (claim.leaseUntil < clock.now() + lane.policy.timeout_s * 1_000) {
        // It stood here for too long to be sent within its lease.
        void giveBack([claim]).catch(options.onError);
        continue;
      }
      void attempt(lane, claim).catch(options.onError);
    }
    if (roomIn(lane) > 0) wake();
  }

  async function attempt(lane: Lane, claim: Claim): Promise<void> {
    const { delivery, token } = claim;
    lane.sending++;
    underWay.set(delivery.id, claim);
    const startedAt = clock.now();
    const result = await send(lane, delivery).catch(error => brokenBy(error, delivery));
    options.onAttempt(result);
    const now = clock.now();
    const attemptsMade = delivery.attempt - delivery.budgetFrom + 1;
    const decision = decide(
      result,
      { policy: retryPolicyOf(lane.policy), attemptsMade, now },
      options.chance,
    );
    noteBreaker(lane, result.outcome === 'delivered', now);
    await write({
      orgId: delivery.orgId,
      deliveryId: delivery.id,
      token,
      attempt: {
        n: delivery.attempt + 1,
        at: startedAt,
        durationMs: Math.round(result.durationMs),
        status: result.status,
        code: result.outcome === 'delivered' ? null : result.code,
        message: result.outcome === 'delivered' ? null : result.message,
        request: JSON.stringify(result.request),
        response: result.response ?? '',
      },
      next:
        decision.kind === 'retry'
          ? { state: 'retrying', dueAt: decision.at }
          : decision.kind === 'dead'
            ? { state: 'dead', code: decision.code }
            : { state: 'delivered' },
    });
    underWay.delete(delivery.id);
    lane.sending--;
    lane.finishedSinceClaim++;
    if (lane.isRetired) await closeWhenIdle(lane);
    else sendFrom(lane);
  }

  async function closeWhenIdle(lane: Lane): Promise<void> {
    if (lane.sending === 0) await lane.destination.close?.();
  }

  async function send(lane: Lane, delivery: ClaimedDelivery): Promise<AttemptResult> {
    const { payload, labels } = parseJson(delivery.output) as { payload: JsonObject; labels: JsonObject };
    const { event } = delivery;
    const traits =
      lane.destination.readsTraits && event.entity !== null
        ? await options.entities.readTraits(delivery.orgId, event.entity)
        : null;
    return lane.destination.send({
      id: delivery.id,
      attempt: delivery.attempt + 1,
      event,
      payload: stringifyJson(payload),
      labels,
      traits,
      sourceName: delivery.sourceName,
      timeoutMs: lane.policy.timeout_s * 1_000,
    });
  }

  /** Whatever a destination breaks on is that delivery's failure, and nobody else's. */
  function brokenBy(error: unknown, delivery: ClaimedDelivery): AttemptResult {
    options.onError(error);
    return {
      outcome: 'failed',
      code: 'rejected_by_destination',
      message: `It could not be sent: ${error instanceof Error ? error.message : String(error)}`,
      retryAfterMs: null,
      request: { target: delivery.destinationId, headers: {}, body: '' },
      status: null,
      response: null,
      durationMs: 0,
    };
  }

  function noteBreaker(lane: Lane, wasDelivered: boolean, now: number): void {
    const before = lane.breaker;
    lane.breaker = afterAttempt(before, wasDelivered, now);
    if (lane.breaker.state === before.state) return;
    void storage.saveBreaker(lane.orgId, lane.id, toStoredBreaker(lane.breaker)).catch(options.onError);
    if (lane.breaker.state === 'open') void giveBack(lane.queue.splice(0)).catch(options.onError);
    else wake();
  }

  /** Results that come in while others are being written go together after them. */
  function write(record: AttemptRecord): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    results.push({ record, written: resolve });
    writing ??= writeAll().finally(() => {
      writing = null;
    });
    return promise;
  }

  async function writeAll(): Promise<void> {
    while (results.length > 0) {
      const batch = results;
      results = [];
      try {
        await storage.recordAttempts(batch.map(({ record }) => record));
      } catch (error) {
        // The lease runs out and the delivery is attempted again: at least once.
        options.onError(error);
      }
      for (const { written } of batch) written();
    }
  }

  async function giveBack(claims: readonly Claim[]): Promise<void> {
    for (const [token, group] of Map.groupBy(claims, claim => claim.token)) {
      await storage.releaseDeliveries(
        token,
        group.map(({ delivery: { orgId, id } }) => ({ orgId, id })),
      );
    }
  }

  async function recover(leaseEndedBefore: number): Promise<void> {
    while ((await storage.recoverDeliveries(leaseEndedBefore, SWEPT_AT_ONCE)) === SWEPT_AT_ONCE);
  }

  /** Now and then: leases that ran out, deliveries whose destination is gone or has been down for too long. */
  async function upkeep(): Promise<void> {
    const now = clock.now();
    if (now < nextUpkeepAt && nextUpkeepAt <= now + PROBE_EVERY_MS) return;
    nextUpkeepAt = now + PROBE_EVERY_MS;
    await recover(now);
    while ((await storage.cancelOrphans(now, SWEPT_AT_ONCE)) === SWEPT_AT_ONCE);
    for (const lane of lanes.values()) {
      if (lane.breaker.state !== 'open') continue;
      for (let made = 0; made < lane.policy.attempts; made++) {
        const dueBefore = now - longestWait(retryPolicyOf(lane.policy), made);
        await storage.expireDeliveries(
          lane.orgId,
          lane.id,
          { attemptsMade: made, dueBefore },
          now,
          SWEPT_AT_ONCE,
        );
      }
    }
  }

  function forget(): void {
    for (const [id, lane] of lanes) {
      lanes.delete(id);
      lane.isRetired = true;
      void giveBack(lane.queue.splice(0)).catch(options.onError);
      void closeWhenIdle(lane).catch(options.onError);
    }
    wake();
  }

  return {
    wake,
    forget,
    async stop() {
      stopping = true;
      wake();
      await loop;
      const waiting = [...lanes.values()].flatMap(lane => lane.queue.splice(0));
      await giveBack(waiting).catch(options.onError);
      const deadline = Date.now() + STOP_PATIENCE_MS;
      while (underWay.size > 0 && Date.now() < deadline)
        await new Promise(resolve => setTimeout(resolve, 20));
      await giveBack([...underWay.values()]).catch(options.onError);
      await writing;
      await Promise.all([...lanes.values()].map(lane => lane.destination.close?.()));
    },
  };
}
