import { type Clock, minutes, seconds } from '../../core/clock.ts';
import type {
  Probe,
  ProbeEnd,
  StoredBreaker,
  StoredDestination,
} from '../../core/stores/configuration/destinations.ts';
import type { ClaimedDelivery, DeliveryClaimInput } from '../../core/stores/delivery-queue.ts';
import { createTokenBucket } from '../../core/work/token-bucket.ts';
import type { Destination } from '../destination.ts';
import { type Claim, type ClaimCheck, type ClaimGrant, type OwnClaim, waitingClaim } from './claim.ts';
import { createClaimKnowledge } from './claim-knowledge.ts';
import { createPromisedRoom, type Promised } from './promised-room.ts';
import { type BreakerChange, createQueueBreaker } from './queue-breaker.ts';
import { isAsOpened } from './same-settings.ts';
import type { Share } from './share.ts';
import { WaitingClaims } from './waiting-claims.ts';

/**
 * The queue of one destination: what a worker has claimed for it and not sent yet, what is under way, and how much of
 * either there may be. A destination that hangs fills its own queue only. The queue owns its state: everybody else
 * changes it by its verbs, and none of them waits for anything.
 *
 * Its mode:
 *
 * | mode    | what happens                                         | leaves by                                       |
 * |---------|------------------------------------------------------|-------------------------------------------------|
 * | TRUSTED | its settings hold: it is claimed for and sent from   | `suspect` → SUSPECT, `retire` → RETIRED         |
 * | SUSPECT | they may not: it keeps what it has, lets nothing out | `confirm` → TRUSTED, `retire` → RETIRED         |
 * | RETIRED | what waited is given back, what is under way ends    | never: the connections are closed with the last |
 *
 * `confirm` takes the destination as it is now. It fails where that was changed, paused or deleted, and the caller
 * retires the queue; and it leaves the queue SUSPECT where somebody has called `suspect` since the read began. A queue
 * is retired for that, because it had nothing to do for long, or because its node was declared dead. Another queue may
 * have taken over before the last of a retired one ends.
 *
 * A claim's state:
 *
 * | state    | entered by        | means                                                              |
 * |----------|-------------------|--------------------------------------------------------------------|
 * | WAITING  | `offer`, `accept` | it may go out when there is a place                                |
 * | SENDING  | `begin`           | it has a place                                                     |
 * | ANSWERED | `answered`        | its result is being written, and the next may go out in its place  |
 * | OVER     | `finish`          | it is no concern of this queue any more                            |
 *
 * It is OVER at once, and given back, where it waits and the breaker opens (`answered`) or the queue is retired; where
 * it was withdrawn (`checked`); and where it is under way long after its timeout, whatever the reason (`expire`).
 *
 * While the breaker is open nothing goes out, nor is claimed, but the one delivery that goes out as a probe, once that
 * was taken (`wantsProbe`, `beginProbe`). A probe that comes to nothing is given back: another delivery may go out
 * with it.
 *
 * A claim is KNOWN to be ours for a second after it was last looked up, and until deliveries of its organisation are
 * withdrawn (`recheck`). What is not is looked up before it goes out: `next` answers the check to make.
 */
export interface DestinationQueue {
  readonly stored: StoredDestination;
  readonly destination: Destination;

  readonly isSuspect: boolean;
  readonly isRetired: boolean;
  /** How often it was suspected: what a read that begins now is confirmed with. */
  readonly suspicions: number;
  /** The size of all that is claimed for it and not over. */
  readonly bytes: number;
  /** The size of what was claimed last, for each delivery. */
  readonly meanBytes: number;
  /** Begun and not over, answered or not. */
  readonly underWay: ReadonlySet<Claim>;
  /** Since when its breaker is open; null while it is closed. */
  readonly downSince: number | null;
  /** For how long it has had nothing to do, and nothing to wait for. */
  idleMs(): number;
  /** How many more should be claimed for it now, when so many may be under way at once. */
  room(atOnce: number): number;
  /** Whether something may be due that there is room for. */
  wantsMore(atOnce: number): boolean;

  /** Room for one that is about to be made; null where it is to wait in storage. What becomes of it comes by `accept`. */
  promise(share: Share, bytes: number): Promised | null;
  accept(delivery: ClaimedDelivery, grant: ClaimGrant, promised: Promised): void;
  /** Nothing is due in storage. */
  caughtUp(): void;
  /** Something is due: how much of it is to be claimed within its share, or null. What is claimed comes by `offer`. */
  reserve(share: Share): DeliveryClaimInput | null;
  offer(deliveries: readonly ClaimedDelivery[], grant: ClaimGrant): void;

  /** What is to be sent, or to be looked up before anything is; null where nothing may go out now. */
  next(atOnce: number): Claim | ClaimCheck | null;
  /** Begins what `next` has answered. 0: it is under way. Otherwise the milliseconds until the rate lets it go. */
  begin(claim: Claim): number;
  /** Whether what is under way may go out still; it is to be known to be ours. */
  mayGoOut(claim: Claim): boolean;
  /** Answers whether the breaker has opened or closed. `not_sent` says nothing of the destination. */
  answered(claim: Claim, outcome: 'delivered' | 'failed' | 'not_sent'): BreakerChange;
  /** Frees its place, once. */
  finish(claim: Claim): void;
  /** Frees the places of those that should have ended long ago: nobody waits for them any more. */
  expire(): void;
  /** Calls back after a while, once however often it is asked, unless it is retired or closed by then. */
  resumeIn(ms: number, resume: () => void): void;

  /** Whether its breaker waits for what only storage knows: it is to be read again, and confirmed. */
  readonly hasStaleBreaker: boolean;
  /** When the next probe is due, where the first of what waits is due then; and whether to ask for it now. */
  nextProbeAt(firstDueAt: number): number;
  wantsProbe(firstDueAt: number): boolean;
  /** One was taken: what is claimed next goes out as that. */
  readonly hasProbe: boolean;
  beginProbe(probe: Probe): void;
  probeFailed(end: Extract<ProbeEnd, { kind: 'failed' }>): void;
  /** Takes over the breaker as storage has it. */
  adopt(breaker: StoredBreaker | null): void;

  suspect(): void;
  /** False: the destination is not what this queue was opened with. */
  confirm(fresh: StoredDestination | null, asOf: number): boolean;

  /** These deliveries were withdrawn, or any: what it holds of them is looked up before it goes out. */
  recheck(ids?: readonly string[]): void;
  /** What to look up about one that is under way; null where it is known to be ours. */
  checkOf(claim: Claim): ClaimCheck | null;
  /** Ends a check with those that are still ours; null where that could not be found out. */
  checked(check: ClaimCheck, ours: ReadonlySet<string> | null): void;

  retire(): void;
  /** Takes out all that waits, for the caller to give back. */
  drain(): Claim[];
  /** Of all that it has and is not through with. */
  heldTokens(): ReadonlySet<string>;
  /** Lets go of connections. */
  close(): Promise<void>;
}

interface DestinationQueueOptions {
  readonly clock: Clock;
  /** How many nodes share the destination's rate. */
  readonly nodes: () => number;
  /** How large a delivery is, before anything is known about it. */
  readonly meanBytes: number;
  /** So many bytes more, or fewer, are in memory for it. */
  hold(bytes: number): void;
  /** Whoever claims these next may send them at once. */
  giveBack(claims: readonly Claim[]): void;
  /** Nothing was sent with a probe that was taken. */
  giveBackProbe(probe: Probe): void;
  onError(error: unknown): void;
}

const MOST_AHEAD = 512;
/** So many are looked up together, or four times what goes out at once. */
const LOOKED_UP = 256;
/** What a rate lets out within this time may be claimed at once: more would only be kept from other nodes. */
const RATE_AHEAD_MS = seconds(30);
/** Beside its timeout, how long a delivery may be under way: a send that never ends must not keep its place. */
const NEVER_ENDS_MS = minutes(2);
/** What a claim may always bring, while there is room. */
const LEAST_CLAIMED_BYTES = 1024 * 1024;

export function createDestinationQueue(
  stored: StoredDestination,
  destination: Destination,
  options: DestinationQueueOptions,
): DestinationQueue {
  const { clock, nodes, giveBack, giveBackProbe, onError } = options;
  const { orgId, id: destinationId, policy } = stored;
  const perSecond = policy.rate_per_second;
  const rate = createTokenBucket({ perSecond, capacity: perSecond, clock, nodes });
  const timeoutMs = seconds(policy.timeout_s);

  const waiting = new WaitingClaims();
  const underWay = new Set<OwnClaim>();
  /** How many of those under way are answered. */
  let answered = 0;
  /** How many of those under way were claimed, and are not answered. */
  let claimedSending = 0;
  const breaker = createQueueBreaker(stored.breaker, clock);
  let bytes = 0;
  let { meanBytes } = options;
  /** A quick destination is claimed further ahead. */
  let finishedSinceClaim = 0;
  /** Whether more was due than there was room for. */
  let hasMore = true;
  let usedAt = clock.now();
  let timer: ReturnType<typeof setTimeout> | null = null;

  let isRetired = false;
  let suspicions = 0;
  let confirmed = 0;

  const knowledge = createClaimKnowledge(clock);
  /** How many withdrawals were known of when the claim was made that is being waited for. */
  let claiming: number | null = null;
  let checking: ClaimCheck | null = null;

  function hold(size: number): void {
    bytes += size;
    options.hold(size);
  }
  const promised = createPromisedRoom(hold);

  const isSuspect = () => confirmed !== suspicions;

  function room(atOnce: number): number {
    if (breaker.downSince !== null) return breaker.probe === null ? 0 : 1;
    const wanted = Math.max(atOnce * 2, finishedSinceClaim * 2);
    const ahead = Math.min(MOST_AHEAD, wanted, rate.within(RATE_AHEAD_MS));
    // What was handed over keeps no room from what waits in storage.
    const free = ahead - waiting.claimedLength - claimedSending;
    // A little room is not worth a claim of its own while there is something left to send.
    return free < ahead / 4 && waiting.claimedLength > 0 ? 0 : Math.max(0, free);
  }

  const everyClaim = (): OwnClaim[] => [...waiting, ...underWay];

  /** How many may be claimed: what there is room for, one probe, or none. */
  function permitted({ atOnce, bytes: left }: Share): number {
    if (isRetired || isSuspect()) return 0;
    if (breaker.downSince !== null) return room(atOnce);
    const isIdle = waiting.length + underWay.size === 0;
    const most = left > 0 ? room(atOnce) : isIdle ? 1 : 0;
    if (most > 0) finishedSinceClaim = 0;
    return most;
  }

  function end(claim: OwnClaim): void {
    if (claim.probe !== null && claim.state !== 'answered') giveBackProbe(claim.probe);
    if (!claim.isHandedOver && claim.state === 'sending') claimedSending--;
    claim.state = 'over';
    hold(-claim.delivery.output.length);
  }

  function drain(which: (claim: Claim) => boolean = () => true): Claim[] {
    const drained = waiting.remove(which);
    for (const claim of drained) end(claim);
    return drained;
  }

  function stopWhereOpened(change: BreakerChange): BreakerChange {
    if (change === 'opened') giveBack(drain());
    return change;
  }

  function dropProbe(): void {
    const probe = breaker.takeProbe();
    if (probe !== null) giveBackProbe(probe);
  }

  function finish(claim: OwnClaim): void {
    if (!underWay.delete(claim)) return;
    if (claim.state === 'answered') answered--;
    end(claim);
    finishedSinceClaim++;
    usedAt = clock.now();
    if (isRetired && underWay.size === 0) void close().catch(onError);
  }

  function stopTimer(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  }

  async function close(): Promise<void> {
    stopTimer();
    await destination.close?.();
  }

  return {
    stored,
    destination,
    underWay,
    get isSuspect() {
      return isSuspect();
    },
    get isRetired() {
      return isRetired;
    },
    get suspicions() {
      return suspicions;
    },
    get bytes() {
      return bytes;
    },
    get meanBytes() {
      return meanBytes;
    },
    get downSince() {
      return breaker.downSince;
    },
    idleMs: () =>
      waiting.length + underWay.size + promised.count === 0 && breaker.downSince === null
        ? clock.now() - usedAt
        : 0,
    room,
    wantsMore: atOnce => hasMore && !isRetired && checking === null && room(atOnce) > 0,

    promise(share, size) {
      const inMemory = waiting.length + underWay.size - answered + promised.count;
      const most = Math.min(share.inMemory, rate.within(RATE_AHEAD_MS));
      if (isRetired || isSuspect() || breaker.downSince !== null) return null;
      if (destination.isReachable?.() === false) return null;
      if (share.bytes <= 0 || inMemory >= most) return null;
      return promised.promise(size, { at: clock.now(), withdrawals: knowledge.withdrawals });
    },

    accept(delivery, grant, place) {
      place.end();
      const { withdrawals } = place;
      waiting.push(waitingClaim(delivery, grant, { withdrawals, isHandedOver: true, probe: null }));
      hold(delivery.output.length);
      usedAt = clock.now();
      // The breaker has opened since.
      if (breaker.downSince !== null) giveBack(drain(claim => claim.probe === null));
    },

    caughtUp() {
      hasMore = false;
    },

    reserve(share) {
      hasMore = true;
      const limit = permitted(share);
      if (limit === 0) return null;
      claiming = knowledge.withdrawals;
      // They may be larger than the ones before.
      const wanted = Math.max(LEAST_CLAIMED_BYTES, 2 * limit * meanBytes);
      return { orgId, destinationId, limit, bytes: Math.max(0, Math.min(share.bytes, wanted)) };
    },

    offer(deliveries, grant) {
      const withdrawals = claiming ?? knowledge.withdrawals;
      claiming = null;
      hasMore = deliveries.length > 0;
      const probe = breaker.takeProbe();
      if (deliveries.length === 0) {
        if (probe !== null) giveBackProbe(probe);
        return;
      }
      let offered = 0;
      const ordinary = { withdrawals, isHandedOver: false, probe: null };
      for (const [n, delivery] of deliveries.entries()) {
        offered += delivery.output.length;
        waiting.push(waitingClaim(delivery, grant, n === 0 ? { ...ordinary, probe } : ordinary));
      }
      hold(offered);
      meanBytes = Math.ceil(offered / deliveries.length);
      usedAt = clock.now();
      // The breaker has opened since they were claimed.
      if (breaker.downSince !== null) giveBack(drain(claim => claim.probe === null));
    },

    next(atOnce) {
      // As many again may wait to be written: not more, since they would be sent again if this process ended here.
      if (underWay.size - answered >= atOnce || answered >= atOnce) return null;
      if (isRetired || isSuspect()) return null;
      const now = clock.now();
      // By the time a probe like that were answered, another node might have sent the next.
      const isLate = ({ probe }: Claim) => probe !== null && probe.until < now + timeoutMs;
      if (waiting.firstClaimed !== undefined && isLate(waiting.firstClaimed)) giveBack(drain(isLate));
      const { first } = waiting;
      if (first === undefined || knowledge.isKnown(first, now)) return first ?? null;
      if (checking !== null) return null;
      const few = Math.max(4 * atOnce, LOOKED_UP);
      checking = knowledge.checkOf(waiting.peek(few).filter(claim => !knowledge.isKnown(claim, now)));
      return checking;
    },

    begin(claim: OwnClaim) {
      if (waiting.first !== claim) throw new Error('Only the first claim of a queue is begun.');
      const waitMs = rate.spend();
      if (waitMs > 0) return waitMs;
      waiting.shift();
      if (!claim.isHandedOver) claimedSending++;
      claim.state = 'sending';
      claim.beganAt = clock.now();
      underWay.add(claim);
      return 0;
    },

    mayGoOut: claim =>
      claim.state === 'sending' &&
      !isRetired &&
      !isSuspect() &&
      knowledge.isUndisturbed(claim) &&
      (breaker.downSince === null || claim.probe !== null),

    answered(claim: OwnClaim, outcome) {
      if (claim.state === 'sending') {
        if (!claim.isHandedOver) claimedSending--;
        claim.state = 'answered';
        answered++;
      }
      // Another queue may have taken over, and knows better.
      if (outcome === 'not_sent' || isRetired) return null;
      return stopWhereOpened(breaker.note(outcome === 'delivered'));
    },

    finish,

    expire() {
      const latest = clock.now() - timeoutMs - NEVER_ENDS_MS;
      for (const claim of underWay) if (claim.beganAt < latest) finish(claim);
    },

    resumeIn(ms, resume) {
      if (isRetired) return;
      timer ??= setTimeout(() => {
        timer = null;
        resume();
      }, ms);
    },

    get hasStaleBreaker() {
      return breaker.isStale && !everyClaim().some(isProbing);
    },
    nextProbeAt: breaker.nextProbeAt,
    wantsProbe: firstDueAt => breaker.wantsProbe(firstDueAt) && !everyClaim().some(isProbing),
    get hasProbe() {
      return breaker.probe !== null;
    },
    beginProbe: breaker.beginProbe,
    probeFailed: breaker.probeFailed,

    adopt(fresh) {
      stopWhereOpened(breaker.adopt(fresh));
    },

    suspect() {
      suspicions++;
    },

    confirm(fresh, asOf) {
      if (fresh === null || !isAsOpened(stored, fresh)) return false;
      stopWhereOpened(breaker.adopt(fresh.breaker));
      confirmed = asOf;
      return true;
    },

    recheck(ids) {
      // What is being claimed may be among them, and is not here yet.
      if (
        ids === undefined ||
        claiming !== null ||
        promised.count > 0 ||
        everyClaim().some(isAmong(new Set(ids)))
      )
        knowledge.withdraw();
    },

    checkOf: claim => (knowledge.isKnown(claim, clock.now()) ? null : knowledge.checkOf([claim])),

    checked(check, ours) {
      if (check === checking) checking = null;
      if (ours === null) return;
      const gone = knowledge.checked(check, ours);
      if (gone.size > 0) drain(claim => gone.has(claim));
    },

    retire() {
      isRetired = true;
      stopTimer();
      giveBack(drain());
      dropProbe();
      if (underWay.size === 0) void close().catch(onError);
    },

    drain() {
      dropProbe();
      return drain();
    },
    heldTokens() {
      const claims = everyClaim();
      const probes = [breaker.probe, ...claims.map(({ probe }) => probe)].filter(probe => probe !== null);
      return new Set([...claims, ...probes].map(({ token }) => token));
    },
    close,
  };
}

const isProbing = ({ probe, state }: Claim): boolean => probe !== null && state !== 'over';

const isAmong =
  (ids: ReadonlySet<string>) =>
  ({ delivery }: Claim): boolean =>
    ids.has(delivery.id);
