import { randomUUID } from 'node:crypto';
import { minutes, seconds } from '../../core/clock.ts';
import type {
  ClaimedDelivery,
  DeliveryClaimInput,
  DeliveryStorage,
  StoredDestination,
} from '../../core/stores/deliveries.ts';
import { createAlarm } from '../../core/work/alarm.ts';
import { askBreaker, PROBE_EVERY_MS } from '../decide/breaker.ts';
import type { Destination } from '../destination.ts';
import { unreadable } from './broken.ts';
import { type Claim, type Lane, openLane, roomIn, stillHolds } from './destination-queue.ts';
import { createLeases } from './leases.ts';
import { createResultLog } from './results.ts';
import { createSender, IDLE_MS, type SenderOptions, type Standing } from './sender.ts';
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
  invalidate(): void;
  /** Deliveries were discarded or erased: nothing that waits here is sent before it is known not to be among them. */
  recheckClaims(): void;
  stop(): Promise<void>;
}

export interface DeliveryWorkerOptions extends SenderOptions {
  readonly storage: DeliveryStorage;
  /** Reads a stored destination for good: opens its secrets, compiles its templates. */
  prepare(destination: StoredDestination): Destination;
  /** How many nodes share a destination's rate. */
  nodes(): number;
  /** Whether every lease in the database is one of a former life of this process. */
  readonly isOnlyNode: boolean;
  /** Whether `invalidate` is called for each change, by whomever; otherwise everything is looked up each time. */
  changeFeedIsLive(): boolean;
  /** So many were ended because their destination is down. */
  onExpired?(orgId: string, destinationId: string, deliveries: number): void;
}

/** Beside its timeout, how long a delivery may stand in the queue of whoever has claimed it. */
const LEASE_MS = minutes(2);
/** A lane that had nothing to do for this long is closed, with its connections. */
const LANE_IDLE_MS = minutes(5);
/** What is under way at a stop is waited for this long; then it is given back, and may arrive twice. */
const STOP_PATIENCE_MS = seconds(4);
/** How long storage may take to hear of a stop. */
const FLUSH_TIMEOUT_MS = seconds(2);
/** What a claim may always bring, while there is room. */
const LEAST_CLAIMED = 1024 * 1024;
/** Before anything is known about it. */
const USUAL_SIZE = 4 * 1024;

export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { storage, clock, onError } = options;
  const lanes = new Map<string, Lane>();
  const standing: Standing = { changes: 0, withdrawals: 0, isStopping: false, isOver: false };
  const { ring: wake, sleep } = createAlarm();
  const shares = createShares();
  const leases = createLeases({ storage, shares });
  const results = createResultLog({ storage, onError });
  const sender = createSender(options, { standing, shares, leases, results, wake });
  const sweep = createSweep({
    storage,
    clock,
    isStopping: () => standing.isStopping,
    onExpired: (...expired) => options.onExpired?.(...expired),
  });
  let meanBytes = USUAL_SIZE;
  let sweeping: Promise<void> | null = null;
  let nextSweepAt = 0;
  let lastSeen = 0;
  /** The clock has, as it may have while nobody was looking. */
  let wentBack = true;

  const loop = (async () => {
    if (options.isOnlyNode) await sweep.recoverAll().catch(onError);
    while (!standing.isStopping) {
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
    if (!options.changeFeedIsLive()) standing.changes++;
    for (const [id, lane] of lanes) {
      if (lane.asOf === standing.changes) continue;
      const asOf = standing.changes;
      const fresh = await storage.findDestination(lane.stored.orgId, id);
      if (stillHolds(lane, fresh)) {
        lane.asOf = asOf;
        sender.sendFrom(lane);
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
    const inputs: DeliveryClaimInput[] = [];
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
      inputs.push({ orgId, destinationId, limit, bytes });
    }
    if (inputs.length === 0 || standing.isStopping) return Math.max(1, quietUntil - now);

    const token = randomUUID();
    const leaseUntil = clock.now() + LEASE_MS + longestTimeout;
    const lease = { token, leaseUntil, knownAt: now, withdrawals: standing.withdrawals };
    const claimed = await storage.claimDeliveries(inputs, { token, now, until: leaseUntil });
    await queueUp(claimed, inputs, lease);
    return claimed.length === 0 ? Math.max(1, quietUntil - now) : 0;
  }

  async function queueUp(
    claimed: readonly ClaimedDelivery[],
    inputs: readonly DeliveryClaimInput[],
    lease: Pick<Claim, 'token' | 'leaseUntil' | 'knownAt' | 'withdrawals'>,
  ): Promise<void> {
    const byDestination = Map.groupBy(claimed, ({ destinationId }) => destinationId);
    for (const { destinationId } of inputs) {
      const deliveries = byDestination.get(destinationId) ?? [];
      const lane = lanes.get(destinationId);
      if (lane === undefined || standing.isStopping) {
        await leases.release(lease.token, deliveries);
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
      sender.sendFrom(lane);
    }
  }

  /** How many may be claimed: what there is room for, one probe, or none. */
  function permitted(lane: Lane, now: number, isRoomLeft: boolean): number {
    if (lane.asOf !== standing.changes) return 0;
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
    const asOf = standing.changes;
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

  /** Now and then, and whenever the clock has gone back. It goes on beside the sending. */
  function upkeep(): void {
    const now = clock.now();
    if (now < lastSeen - IDLE_MS) wentBack = true;
    lastSeen = now;
    if (sweeping !== null || (!wentBack && now < nextSweepAt)) return;
    nextSweepAt = now + PROBE_EVERY_MS;
    const bringForward = wentBack;
    wentBack = false;
    sender.endExpired(now);
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
    void leases.giveBack(lane.queue.splice(0)).catch(onError);
    sender.closeWhenIdle(lane);
  }

  return {
    wake,
    invalidate() {
      standing.changes++;
      wake();
    },
    recheckClaims() {
      standing.withdrawals++;
    },
    async stop() {
      const deadline = performance.now() + STOP_PATIENCE_MS;
      standing.isStopping = true;
      wake();
      await within(Promise.all([loop, sweeping]), STOP_PATIENCE_MS);
      const waiting = [...lanes.values()].flatMap(lane => lane.queue.splice(0));
      await within(leases.giveBack(waiting).catch(onError), FLUSH_TIMEOUT_MS);
      while (sender.underWay.size > 0 && performance.now() < deadline) {
        await new Promise(resolve => setTimeout(resolve, 20));
      }
      standing.isOver = true;
      results.hurry();
      await within(
        Promise.all([results.settled(), leases.giveBack([...sender.underWay]).catch(onError)]),
        FLUSH_TIMEOUT_MS,
      );
      for (const lane of lanes.values()) if (lane.timer !== null) clearTimeout(lane.timer);
      const closing = [...lanes.values()].map(lane => lane.destination.close?.().catch(onError));
      await within(Promise.all(closing), FLUSH_TIMEOUT_MS);
    },
  };
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, timeUp]);
  clearTimeout(timer);
}
