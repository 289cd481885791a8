import { randomUUID } from 'node:crypto';
import type { Chance } from '../core/backoff.ts';
import { type Clock, minutes, seconds } from '../core/clock.ts';
import type {
  AttemptRecord,
  ClaimedDelivery,
  DeliveryStorage,
  DeliveryWish,
  StoredDestination,
} from '../core/ports-delivery.ts';
import type { EntityReader } from '../core/ports-pipeline.ts';
import type { AttemptResult } from './attempt.ts';
import { afterAttempt, askBreaker, PROBE_EVERY_MS } from './breaker.ts';
import { brokenBy, unreadable } from './broken.ts';
import { decide } from './decide.ts';
import type { Destination } from './destination.ts';
import { type Claim, type Lane, mayGoOut, openLane, roomIn, stillHolds, toStoredBreaker } from './lane.ts';
import { readOutput } from './output.ts';
import { retryPolicyOf } from './policy.ts';
import { toRecord } from './record.ts';
import { createResultLog } from './results.ts';
import { createShares } from './shares.ts';
import { createSweep } from './sweep.ts';

/**
 * Sends what is due. One loop asks which destinations have something waiting, claims for each as much as its lane
 * has room for, and sleeps until something is due or it is woken. Each lane sends at its own pace; results are
 * written together, and count only while the lease under which they were sent still holds.
 */
export interface DeliveryWorker {
  /** Something may be due: deliveries were made, retried or resumed. */
  wake(): void;
  /** Something was changed: nothing more is sent from what was read before, until it is found to hold still. */
  forget(): void;
  /** Deliveries were discarded or erased: nothing that waits here is sent before it is known not to be among them. */
  doubt(): void;
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
  /** Whether `forget` is called for each change, by whomever; otherwise everything is looked up each time. */
  hearsChanges(): boolean;
  onAttempt(result: AttemptResult): void;
  /** What became of a delivery with an attempt is on disk. */
  onWritten?(delivery: ClaimedDelivery, next: AttemptRecord['next']): void;
  /** So many were ended because their destination is down. */
  onExpired?(orgId: string, destinationId: string, deliveries: number): void;
  onError(error: unknown): void;
}

/** Beside its timeout, how long a delivery may stand in the queue of whoever has claimed it. */
const LEASE_MS = minutes(2);
const IDLE_MS = seconds(1);
/** What has waited for this long may have been withdrawn on another node. */
const KNOWN_FOR_MS = seconds(1);
/** A lane that had nothing to do for this long is closed, with its connections. */
const LANE_IDLE_MS = minutes(5);
/** What is under way at a stop is waited for this long; then it is given back, and may arrive twice. */
const STOP_PATIENCE_MS = seconds(4);
/** How long storage may take to hear of a stop. */
const LAST_WORDS_MS = seconds(2);
/** What a claim may always bring, while there is room. */
const LEAST_CLAIMED = 1024 * 1024;
/** Before anything is known about it. */
const USUAL_SIZE = 4 * 1024;

export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { storage, clock, onError } = options;
  const lanes = new Map<string, Lane>();
  const shares = createShares();
  const underWay = new Set<Claim>();
  const results = createResultLog({ storage, onError });
  const sweep = createSweep({
    storage,
    clock,
    isStopping: () => stopping,
    onExpired: (...expired) => options.onExpired?.(...expired),
  });
  let changes = 0;
  let withdrawals = 0;
  let meanBytes = USUAL_SIZE;
  let stopping = false;
  let isOver = false;
  let ring: () => void = () => {};
  let rung = false;
  let sweeping: Promise<void> | null = null;
  let nextSweepAt = 0;
  let lastSeen = 0;
  /** The clock has, as it may have while nobody was looking. */
  let wentBack = true;

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
    if (options.isOnlyNode) await sweep.recoverAll().catch(onError);
    while (!stopping) {
      try {
        upkeep();
        await checkLanes();
        await sleep(await claimWhatIsDue());
      } catch (error) {
        onError(error);
        await sleep(IDLE_MS);
      }
    }
  })();

  /** Lanes that were opened before the last change go on, or end, as the destination is now. */
  async function checkLanes(): Promise<void> {
    if (!options.hearsChanges()) changes++;
    for (const [id, lane] of lanes) {
      if (lane.asOf === changes) continue;
      const asOf = changes;
      const fresh = await storage.findDestination(lane.stored.orgId, id);
      if (stillHolds(lane, fresh)) {
        lane.asOf = asOf;
        sendFrom(lane);
      } else {
        retire(lane);
      }
    }
  }

  /** Answers for how long nothing more can be due, as far as is known. */
  async function claimWhatIsDue(): Promise<number> {
    const now = clock.now();
    let quietUntil = now + IDLE_MS;
    let promised = 0;
    let longestTimeout = 0;
    const wishes: DeliveryWish[] = [];
    for (const { orgId, destinationId, dueAt, isPaused } of await storage.listWaitingDestinations()) {
      if (isPaused) continue;
      if (dueAt > now) {
        quietUntil = Math.min(quietUntil, dueAt);
        continue;
      }
      const lane = lanes.get(destinationId) ?? (await admit(orgId, destinationId));
      if (lane === null) continue;
      lane.hasMore = true;
      const left = shares.bytesFor(lane, promised);
      const limit = permitted(lane, now, left > 0);
      if (limit === 0) continue;
      // They may be larger than the ones before.
      const bytes = Math.max(0, Math.min(left, Math.max(LEAST_CLAIMED, 2 * limit * lane.meanBytes)));
      promised += bytes;
      longestTimeout = Math.max(longestTimeout, seconds(lane.stored.policy.timeout_s));
      wishes.push({ orgId, destinationId, limit, bytes });
    }
    if (wishes.length === 0 || stopping) return Math.max(1, quietUntil - now);

    const token = randomUUID();
    const leaseUntil = clock.now() + LEASE_MS + longestTimeout;
    const lease = { token, leaseUntil, knownAt: now, withdrawals };
    const claimed = await storage.claimDeliveries(wishes, { token, now, until: leaseUntil });
    await queueUp(claimed, wishes, lease);
    return claimed.length === 0 ? Math.max(1, quietUntil - now) : 0;
  }

  async function queueUp(
    claimed: readonly ClaimedDelivery[],
    wishes: readonly DeliveryWish[],
    lease: Pick<Claim, 'token' | 'leaseUntil' | 'knownAt' | 'withdrawals'>,
  ): Promise<void> {
    const byDestination = Map.groupBy(claimed, ({ destinationId }) => destinationId);
    for (const { destinationId } of wishes) {
      const deliveries = byDestination.get(destinationId) ?? [];
      const lane = lanes.get(destinationId);
      if (lane === undefined || stopping) {
        await release(lease.token, deliveries);
        continue;
      }
      lane.hasMore = deliveries.length > 0;
      if (deliveries.length === 0) continue;
      lane.usedAt = clock.now();
      let bytes = 0;
      for (const delivery of deliveries) {
        bytes += delivery.output.length;
        const claim = { lane, delivery, ...lease, isAnswered: false, isOver: false };
        shares.claimed(claim);
        lane.queue.push(claim);
      }
      lane.meanBytes = Math.ceil(bytes / deliveries.length);
      meanBytes = lane.meanBytes;
      sendFrom(lane);
    }
  }

  /** How many may be claimed: what there is room for, one probe, or none. */
  function permitted(lane: Lane, now: number, isRoomLeft: boolean): number {
    if (lane.asOf !== changes) return 0;
    const permit = askBreaker(lane.breaker, now);
    lane.breaker = permit.breaker;
    if (permit.kind === 'wait') return 0;
    if (permit.kind === 'probe') return 1;
    const isIdle = lane.queue.length + lane.sending === 0;
    const room = isRoomLeft ? roomIn(lane, shares.atOnce(lane)) : isIdle ? 1 : 0;
    if (room > 0) lane.finishedSinceClaim = 0;
    return room;
  }

  async function admit(orgId: string, destinationId: string): Promise<Lane | null> {
    const asOf = changes;
    const stored = await storage.findDestination(orgId, destinationId);
    if (stored === null || stored.paused) return null;
    const { nodes } = options;
    const lane = openLane(stored, prepare(stored), { clock, nodes, asOf, meanBytes });
    lanes.set(destinationId, lane);
    shares.opened(lane);
    return lane;
  }

  /** One that cannot be read keeps nobody else waiting, and what is meant for it ends with the reason. */
  function prepare(stored: StoredDestination): Destination {
    try {
      return options.prepare(stored);
    } catch (error) {
      onError(error);
      return unreadable(stored, error);
    }
  }

  function sendFrom(lane: Lane): void {
    const width = shares.atOnce(lane);
    while (mayGoOut(lane, width) && !stopping && !lane.isRetired && lane.asOf === changes) {
      const [claim] = lane.queue;
      if (claim === undefined) break;
      if (claim.leaseUntil < clock.now() + seconds(lane.stored.policy.timeout_s)) {
        // It stood here for too long to be sent within its lease.
        lane.queue.shift();
        void giveBack([claim]).catch(onError);
        continue;
      }
      if (!isKnown(claim)) {
        void checkQueue(lane);
        return;
      }
      const wait = lane.rate.spend();
      if (wait > 0) {
        sendLater(lane, wait);
        return;
      }
      lane.queue.shift();
      void attempt(claim).catch(onError);
    }
    if (lane.hasMore && roomIn(lane, width) > 0) wake();
  }

  function sendLater(lane: Lane, wait: number): void {
    lane.timer ??= setTimeout(() => {
      lane.timer = null;
      sendFrom(lane);
    }, wait);
  }

  const isKnown = (claim: Claim): boolean =>
    claim.withdrawals === withdrawals && clock.now() - claim.knownAt < KNOWN_FOR_MS;

  /** Takes out of the queue what is ours no more: it was discarded or erased, here or on another node. */
  async function checkQueue(lane: Lane): Promise<void> {
    if (lane.isChecking) return;
    lane.isChecking = true;
    const known = { knownAt: clock.now(), withdrawals };
    const doubtful = new Set(lane.queue.filter(claim => !isKnown(claim)));
    try {
      const claims = [...doubtful].map(({ delivery: { orgId, id }, token }) => ({ orgId, id, token }));
      const ours = new Set(await storage.findLeased(claims));
      for (const claim of lane.queue.splice(0)) {
        if (doubtful.has(claim) && !ours.has(claim.delivery.id)) {
          shares.finished(claim);
          continue;
        }
        lane.queue.push(doubtful.has(claim) ? Object.assign(claim, known) : claim);
      }
    } catch (error) {
      onError(error);
      sendLater(lane, IDLE_MS);
      return;
    } finally {
      lane.isChecking = false;
    }
    sendFrom(lane);
  }

  async function attempt(claim: Claim): Promise<void> {
    const { lane, delivery } = claim;
    lane.sending++;
    underWay.add(claim);
    try {
      const startedAt = clock.now();
      const result = await send(claim).catch((error: unknown) => {
        onError(error);
        return brokenBy(error, delivery);
      });
      if (result === 'in doubt') await release(claim.token, [delivery]);
      else if (!isOver) await settle(claim, result, startedAt);
    } finally {
      end(claim);
    }
    if (!lane.isRetired) sendFrom(lane);
  }

  async function settle(claim: Claim, result: AttemptResult, startedAt: number): Promise<void> {
    const { lane, delivery } = claim;
    const now = clock.now();
    options.onAttempt(result);
    const attemptsMade = delivery.attempt - delivery.budgetFrom + 1;
    const standing = { policy: retryPolicyOf(lane.stored.policy), attemptsMade, now };
    const decision = decide(result, standing, options.chance);
    if (result.outcome === 'delivered') noteBreaker(lane, true, now);
    // What failed on this side says nothing of the other.
    else if (!result.isFinal) noteBreaker(lane, false, now);
    const record = toRecord(claim, result, decision, startedAt);
    makeWay(claim);
    if (await results.write(record)) options.onWritten?.(delivery, record.next);
    // It may be due before the loop would look again.
    if (decision.kind === 'retry' && decision.at < now + IDLE_MS) wake();
  }

  /** The next may go out while the result of this one is being written. */
  function makeWay(claim: Claim): void {
    if (claim.isOver) return;
    claim.isAnswered = true;
    claim.lane.answered++;
    if (!claim.lane.isRetired) sendFrom(claim.lane);
  }

  /** Frees its place in the lane, once. */
  function end(claim: Claim): void {
    if (claim.isOver) return;
    claim.isOver = true;
    if (claim.isAnswered) claim.lane.answered--;
    underWay.delete(claim);
    shares.finished(claim);
    claim.lane.sending--;
    claim.lane.finishedSinceClaim++;
    claim.lane.usedAt = clock.now();
    if (claim.lane.isRetired) closeWhenIdle(claim.lane);
  }

  async function send(claim: Claim): Promise<AttemptResult | 'in doubt'> {
    const { lane, delivery } = claim;
    const { payload, labels } = readOutput(delivery.output);
    const { event } = delivery;
    const traits =
      lane.destination.readsTraits && event.entity !== null
        ? await options.entities.readTraits(delivery.orgId, event.entity)
        : null;
    // While the traits were read it may have been paused, changed or withdrawn: whoever claims it next will know.
    if (lane.asOf !== changes || claim.withdrawals !== withdrawals) return 'in doubt';
    return lane.destination.send({
      id: delivery.id,
      attempt: delivery.attempt + 1,
      event,
      payload,
      labels,
      traits,
      sourceName: delivery.sourceName,
      timeoutMs: seconds(lane.stored.policy.timeout_s),
    });
  }

  function noteBreaker(lane: Lane, wasDelivered: boolean, now: number): void {
    // Another lane has taken over, and knows better.
    if (lane.isRetired) return;
    const before = lane.breaker;
    lane.breaker = afterAttempt(before, wasDelivered, now);
    if (lane.breaker.state === before.state) return;
    const { orgId, id } = lane.stored;
    void storage.saveBreaker(orgId, id, toStoredBreaker(lane.breaker)).catch(onError);
    if (lane.breaker.state === 'open') void giveBack(lane.queue.splice(0)).catch(onError);
    else wake();
  }

  async function giveBack(claims: readonly Claim[]): Promise<void> {
    for (const claim of claims) shares.finished(claim);
    for (const [token, group] of Map.groupBy(claims, claim => claim.token)) {
      await release(
        token,
        group.map(({ delivery }) => delivery),
      );
    }
  }

  async function release(token: string, deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    await storage.releaseDeliveries(
      token,
      deliveries.map(({ orgId, id }) => ({ orgId, id })),
    );
  }

  /** Now and then, and whenever the clock has gone back. It goes on beside the sending. */
  function upkeep(): void {
    const now = clock.now();
    if (now < lastSeen - IDLE_MS) wentBack = true;
    lastSeen = now;
    if (sweeping !== null || (!wentBack && now < nextSweepAt)) return;
    nextSweepAt = now + PROBE_EVERY_MS;
    const bringForward = wentBack;
    wentBack = false;
    for (const claim of underWay) if (claim.leaseUntil < now) end(claim);
    for (const lane of lanes.values()) {
      const isIdle = lane.queue.length + lane.sending === 0 && lane.breaker.state === 'closed';
      if (isIdle && now - lane.usedAt > LANE_IDLE_MS) retire(lane);
    }
    const down = [...lanes.values()].flatMap(({ stored, breaker }) =>
      breaker.state === 'open' ? [{ destination: stored, since: breaker.openedAt }] : [],
    );
    sweeping = (async () => {
      if (bringForward) await sweep.bringForward();
      await sweep.run(down);
    })()
      .catch(onError)
      .finally(() => {
        sweeping = null;
        wake();
      });
  }

  function retire(lane: Lane): void {
    if (lanes.delete(lane.stored.id)) shares.closed(lane);
    lane.isRetired = true;
    if (lane.timer !== null) clearTimeout(lane.timer);
    void giveBack(lane.queue.splice(0)).catch(onError);
    closeWhenIdle(lane);
  }

  function closeWhenIdle(lane: Lane): void {
    if (lane.sending === 0) void lane.destination.close?.().catch(onError);
  }

  return {
    wake,
    forget() {
      changes++;
      wake();
    },
    doubt() {
      withdrawals++;
    },
    async stop() {
      const deadline = performance.now() + STOP_PATIENCE_MS;
      stopping = true;
      wake();
      await within(Promise.all([loop, sweeping]), STOP_PATIENCE_MS);
      const waiting = [...lanes.values()].flatMap(lane => lane.queue.splice(0));
      await within(giveBack(waiting).catch(onError), LAST_WORDS_MS);
      while (underWay.size > 0 && performance.now() < deadline) {
        await new Promise(resolve => setTimeout(resolve, 20));
      }
      isOver = true;
      results.hurry();
      await within(Promise.all([results.settled(), giveBack([...underWay]).catch(onError)]), LAST_WORDS_MS);
      for (const lane of lanes.values()) if (lane.timer !== null) clearTimeout(lane.timer);
      const closing = [...lanes.values()].map(lane => lane.destination.close?.().catch(onError));
      await within(Promise.all(closing), LAST_WORDS_MS);
    },
  };
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, timeUp]);
  clearTimeout(timer);
}
