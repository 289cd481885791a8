import { type Clock, seconds } from '../../core/clock.ts';
import type { EntityReader } from '../../core/entities/reader.ts';
import type { AttemptRecord, ClaimedDelivery, DeliveryStorage } from '../../core/stores/deliveries.ts';
import type { Random } from '../../core/work/backoff.ts';
import type { AttemptResult } from '../decide/attempt.ts';
import { afterAttempt } from '../decide/breaker.ts';
import { decide } from '../decide/decide.ts';
import { retryPolicyOf } from '../decide/policy.ts';
import { NoLongerWanted } from '../destination.ts';
import { readOutput } from '../rendering/output.ts';
import { brokenBy } from './broken.ts';
import { type Claim, type Lane, mayGoOut, roomIn, toStoredBreaker } from './destination-queue.ts';
import type { Leases } from './leases.ts';
import { toRecord } from './record.ts';
import type { ResultLog } from './results.ts';
import type { Shares } from './shares.ts';

/**
 * Sends what stands in the queue of a lane, as many at once as the lane takes. Nothing goes out that is in doubt: its
 * lease must hold for long enough, and what was changed or withdrawn meanwhile is looked up first.
 */
export interface Sender {
  sendFrom(lane: Lane): void;
  readonly underWay: ReadonlySet<Claim>;
  /** Frees the places of those whose lease is over: somebody else has them by now. */
  endExpired(now: number): void;
  closeWhenIdle(lane: Lane): void;
}

/** What the worker has heard of, and whether it goes on. */
export interface Standing {
  changes: number;
  withdrawals: number;
  isStopping: boolean;
  /** Results that come now are too late. */
  isOver: boolean;
}

export interface SenderOptions {
  readonly storage: Pick<DeliveryStorage, 'findLeased' | 'saveBreaker'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly entities: EntityReader;
  onAttempt(result: AttemptResult): void;
  /** What became of a delivery with an attempt is on disk. */
  onWritten?(delivery: ClaimedDelivery, next: AttemptRecord['next']): void;
  onError(error: unknown): void;
}

/** How long after a fault something is tried again, and how near something due has to be for the worker to be woken. */
export const IDLE_MS = seconds(1);
/** What has waited for this long may have been withdrawn on another node. */
const KNOWN_FOR_MS = seconds(1);

export function createSender(
  options: SenderOptions,
  parts: {
    readonly standing: Readonly<Standing>;
    readonly shares: Shares;
    readonly leases: Leases;
    readonly results: ResultLog;
    wake(): void;
  },
): Sender {
  const { storage, clock, onError } = options;
  const { standing, shares, leases, results, wake } = parts;
  const underWay = new Set<Claim>();

  function sendFrom(lane: Lane): void {
    const width = shares.atOnce(lane);
    while (
      mayGoOut(lane, width) &&
      !standing.isStopping &&
      !lane.isRetired &&
      lane.asOf === standing.changes
    ) {
      const [claim] = lane.queue;
      if (claim === undefined) break;
      if (claim.leaseUntil < clock.now() + seconds(lane.stored.policy.timeout_s)) {
        // It stood here for too long to be sent within its lease.
        lane.queue.shift();
        void leases.giveBack([claim]).catch(onError);
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
    claim.withdrawals === standing.withdrawals && clock.now() - claim.knownAt < KNOWN_FOR_MS;

  /** Takes out of the queue what is ours no more: it was discarded or erased, here or on another node. */
  async function checkQueue(lane: Lane): Promise<void> {
    if (lane.isChecking) return;
    lane.isChecking = true;
    const known = { knownAt: clock.now(), withdrawals: standing.withdrawals };
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
        if (error instanceof NoLongerWanted) return 'in doubt';
        onError(error);
        return brokenBy(error, delivery);
      });
      if (result === 'in doubt') await leases.release(claim.token, [delivery]);
      else if (!standing.isOver) await settle(claim, result, startedAt);
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
    const decision = decide(result, standing, options.random);
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
    if (!(await isStillWanted(claim))) return 'in doubt';
    return lane.destination.send({
      orgId: delivery.orgId,
      id: delivery.id,
      attempt: delivery.attempt + 1,
      event,
      payload,
      labels,
      traits,
      sourceName: delivery.sourceName,
      timeoutMs: seconds(lane.stored.policy.timeout_s),
      isStillWanted: () => isStillWanted(claim),
    });
  }

  /**
   * While something was waited for it may have been paused, changed or withdrawn: whoever claims it next will know.
   * Withdrawals are mostly of others, so they are looked up: where many are withdrawn the rest would never go out.
   */
  async function isStillWanted(claim: Claim): Promise<boolean> {
    if (!isKnown(claim)) {
      const { delivery, token } = claim;
      const known = { knownAt: clock.now(), withdrawals: standing.withdrawals };
      try {
        const ours = await storage.findLeased([{ orgId: delivery.orgId, id: delivery.id, token }]);
        if (ours.length === 0) return false;
      } catch (error) {
        onError(error);
        return false;
      }
      Object.assign(claim, known);
    }
    return (
      !claim.isOver && claim.lane.asOf === standing.changes && claim.withdrawals === standing.withdrawals
    );
  }

  function noteBreaker(lane: Lane, wasDelivered: boolean, now: number): void {
    // Another lane has taken over, and knows better.
    if (lane.isRetired) return;
    const before = lane.breaker;
    lane.breaker = afterAttempt(before, wasDelivered, now);
    if (lane.breaker.state === before.state) return;
    const { orgId, id } = lane.stored;
    void storage.saveBreaker(orgId, id, toStoredBreaker(lane.breaker)).catch(onError);
    if (lane.breaker.state === 'open') void leases.giveBack(lane.queue.splice(0)).catch(onError);
    else wake();
  }

  function closeWhenIdle(lane: Lane): void {
    if (lane.sending === 0) void lane.destination.close?.().catch(onError);
  }

  return {
    sendFrom,
    underWay,
    endExpired(now) {
      for (const claim of underWay) if (claim.leaseUntil < now) end(claim);
    },
    closeWhenIdle,
  };
}
