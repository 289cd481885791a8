import { setTimeout as sleep } from 'node:timers/promises';
import { minutes, seconds } from '../../core/clock.ts';
import type { ChangeListener, ConfigurationChange } from '../../core/stores/change.ts';
import type { StoredDestination } from '../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../core/stores/configuration.ts';
import type { ClaimedDelivery, DeliveryClaimInput, DeliveryQueue } from '../../core/stores/delivery-queue.ts';
import { createAlarm } from '../../core/work/alarm.ts';
import type { ClaimHolder, Membership } from '../../core/work/membership.ts';
import { within } from '../../core/work/within.ts';
import type { Destination } from '../destination.ts';
import type { ClaimGrant } from './claim.ts';
import { createDestinationQueue, type DestinationQueue } from './destination-queue.ts';
import { unreadableDestination } from './failed-result.ts';
import { createHandover, type Handover } from './handover.ts';
import { createProbes } from './probes.ts';
import { createReleases } from './releases.ts';
import { createResultLog } from './results.ts';
import { createSender, IDLE_MS, type SenderOptions, type WorkerState } from './sender.ts';
import { createShares } from './shares.ts';
import { createSweep } from './sweep.ts';

/**
 * Sends what is due. One loop asks which destinations have something waiting, claims for each as much as its queue
 * has room for, and sleeps until something is due or it is woken. Each queue is sent from at its own pace; results are
 * written together, and count only while the claim under which they were sent still holds.
 */
export interface DeliveryWorker extends ClaimHolder {
  start(): void;
  /** Room for the deliveries of what is about to be settled. */
  readonly reserve: Handover['reserve'];
  /** Something may be due: deliveries were made, retried or resumed. */
  wake(): void;
  /** Nothing more is sent to the destinations that a change names, until they are found to hold still. */
  readonly invalidate: ChangeListener;
  /**
   * Deliveries of this organisation were discarded or erased, these or any: nothing that waits here is sent before it
   * is known not to be among them.
   */
  recheckClaims(organisationId: string, deliveryIds?: readonly string[]): void;
  /** Also where it was never started. */
  stop(): Promise<void>;
}

interface DeliveryWorkerOptions extends SenderOptions {
  readonly configuration: Pick<
    ConfigurationStore,
    'bringProbesForward' | 'closeBreaker' | 'endProbe' | 'findDestination' | 'openBreaker' | 'takeProbe'
  >;
  readonly deliveryQueue: Pick<
    DeliveryQueue,
    | 'bringForward'
    | 'cancelOrphans'
    | 'claimDeliveries'
    | 'expireDeliveries'
    | 'findClaimed'
    | 'listWaiting'
    | 'listWaitingDestinations'
    | 'recordAttempts'
    | 'releaseDeliveries'
  >;
  /** Reads a stored destination for good: opens its secrets, compiles its templates. */
  prepare(destination: StoredDestination): Destination;
  /** How many nodes share a destination's rate. */
  nodes(): number;
  readonly newToken: Membership['newToken'];
  /** Whether `invalidate` is called for each change, by whomever; otherwise everything is looked up each time. */
  changeFeedIsLive(): boolean;
  /** Something was changed or withdrawn: what is under way and has not left yet may be wanted no more. */
  onDoubt?(): void;
  /** So many were ended because their destination is down. */
  onExpired?(orgId: string, destinationId: string, deliveries: number): void;
  /** So many were cancelled because their destination is gone. */
  onOrphansCancelled?(deliveries: number): void;
}

const SWEEP_EVERY_MS = seconds(30);
/** Between two claims. */
const MOST_OPENED_AT_ONCE = 4;
/** A queue that had nothing to do for this long is retired, with its connections. */
const QUEUE_IDLE_MS = minutes(5);
/** What is under way at a stop is waited for this long; then it is given back, and may arrive twice. */
const STOP_TIMEOUT_MS = seconds(4);
/** How long storage may take to write the last results down at a stop. */
const FLUSH_TIMEOUT_MS = seconds(2);
/** Before anything is known about it. */
const USUAL_BYTES = 4 * 1024;

type Address = Pick<StoredDestination, 'orgId' | 'id'>;

export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { configuration, deliveryQueue, clock, nodes, onError } = options;
  const queues = new Map<string, DestinationQueue>();
  /** Those that are retired and have something under way yet. */
  const retired = new Set<DestinationQueue>();
  const state: WorkerState = { isStopping: false, isOver: false };
  const alarm = createAlarm();
  const wake = alarm.ring;
  const shares = createShares();
  const releases = createReleases(deliveryQueue, clock);
  const results = createResultLog({ deliveryQueue, clock, onError });
  const probes = createProbes({
    configuration,
    clock,
    onUnsure: ({ id }) => queues.get(id)?.suspect(),
    onError,
  });
  const sender = createSender(options, { state, shares, releases, results, probes, wake });
  const sweep = createSweep({
    configuration,
    deliveryQueue,
    clock,
    isStopping: () => state.isStopping,
    onExpired: (...expired) => options.onExpired?.(...expired),
    onOrphansCancelled: deliveries => options.onOrphansCancelled?.(deliveries),
  });
  const handover = createHandover({
    queueOf: id => queues.get(id),
    newToken: () => (state.isStopping ? null : options.newToken()),
    promise: (queue, bytes) => queue.promise(shares.ofHandedOver(queue), bytes),
    offer(queue, delivery, grant, promised) {
      if (queue.isRetired || state.isStopping) return false;
      queue.accept(delivery, grant, promised);
      return true;
    },
    giveBack: (token, deliveries) => void releases.release(token, deliveries).catch(onError),
    send(accepted) {
      for (const queue of accepted) sender.sendFrom(queue);
    },
  });
  /** The destination whose queue is being opened, and whether it was changed since its read began. */
  let opening: (Address & { isSuspect: boolean }) | null = null;
  let meanBytes = USUAL_BYTES;
  /** What is being claimed with now. */
  let claimingWith: string | null = null;
  let looping: Promise<void> | null = null;
  let sweeping: Promise<void> | null = null;
  let nextSweepAt = 0;
  let lastSeen = 0;
  /** The clock has, as it may have while nobody was looking. */
  let wentBack = true;

  async function loop(): Promise<void> {
    while (!state.isStopping) {
      try {
        upkeep();
        await confirmSuspects();
        await alarm.sleep(await claimWhatIsDue());
      } catch (error) {
        onError(error);
        await alarm.sleep(IDLE_MS);
      }
    }
  }

  /** Queues that are suspect go on, or end, as their destination is now. Breakers are read again with that. */
  async function confirmSuspects(): Promise<void> {
    if (!options.changeFeedIsLive()) for (const queue of queues.values()) queue.suspect();
    for (const queue of queues.values()) {
      if (!queue.isSuspect && !queue.hasStaleBreaker) continue;
      const { stored, suspicions } = queue;
      const fresh = await configuration.findDestination(stored.orgId, stored.id);
      if (queue.confirm(fresh, suspicions)) sender.sendFrom(queue);
      else retire(queue);
    }
  }

  async function claimWhatIsDue(): Promise<number> {
    const token = options.newToken();
    if (token === null) return IDLE_MS;
    claimingWith = token;
    try {
      return await claimWith(token);
    } finally {
      claimingWith = null;
    }
  }

  /** Probes and deliveries alike. Answers for how long nothing more can be due, as far as is known. */
  async function claimWith(token: string): Promise<number> {
    const now = clock.now();
    let quietUntil = now + IDLE_MS;
    let promised = 0;
    let opened = 0;
    const claiming: DestinationQueue[] = [];
    const inputs: DeliveryClaimInput[] = [];
    const idle = new Set(queues.values());
    for (const { orgId, destinationId, dueAt, isHeld } of await deliveryQueue.listWaitingDestinations()) {
      if (isHeld) continue;
      if (dueAt > now) {
        quietUntil = Math.min(quietUntil, dueAt);
        continue;
      }
      const known = queues.get(destinationId);
      if (known !== undefined) idle.delete(known);
      // Whoever has made many destinations keeps nobody waiting until all of them are read.
      if (known === undefined && opened >= MOST_OPENED_AT_ONCE) {
        quietUntil = now;
        continue;
      }
      const queue = known ?? (await open({ orgId, id: destinationId }));
      if (known === undefined && queue !== null) opened++;
      // Another node has the way to it, or nobody has: what waits there waits on, and is not looked at again before.
      if (queue?.destination.isReachable?.() === false) continue;
      if (queue !== null && !(await probes.take(queue, dueAt, token))) {
        // One that is due already is under way somewhere.
        const probeAt = queue.nextProbeAt(dueAt);
        if (probeAt > now) quietUntil = Math.min(quietUntil, probeAt);
        continue;
      }
      const input = queue?.reserve(shares.of(queue, promised)) ?? null;
      if (queue === null || input === null) continue;
      promised += input.bytes;
      claiming.push(queue);
      inputs.push(input);
    }
    for (const queue of idle) queue.caughtUp();
    if (inputs.length === 0 || state.isStopping) return Math.max(1, quietUntil - now);

    const claimed = await deliveryQueue.claimDeliveries(inputs, { token, now });
    await offer(claimed, claiming, { token, knownAt: now });
    return claimed.length === 0 ? Math.max(1, quietUntil - now) : 0;
  }

  async function offer(
    claimed: readonly ClaimedDelivery[],
    claiming: readonly DestinationQueue[],
    grant: ClaimGrant,
  ): Promise<void> {
    const byDestination = Map.groupBy(claimed, ({ destinationId }) => destinationId);
    for (const queue of claiming) {
      const deliveries = byDestination.get(queue.stored.id) ?? [];
      if (queue.isRetired || state.isStopping) {
        await releases.release(grant.token, deliveries);
        continue;
      }
      queue.offer(deliveries, grant);
      if (deliveries.length === 0) continue;
      meanBytes = queue.meanBytes;
      sender.sendFrom(queue);
    }
  }

  async function open(address: Address): Promise<DestinationQueue | null> {
    const read = { ...address, isSuspect: false };
    opening = read;
    const stored = await configuration.findDestination(address.orgId, address.id);
    opening = null;
    if (stored === null || stored.paused) return null;
    const queue: DestinationQueue = createDestinationQueue(stored, prepare(stored), {
      clock,
      nodes,
      meanBytes,
      hold: shares.hold,
      giveBack: claims => void releases.giveBack(claims).catch(onError),
      giveBackProbe: probe => void probes.notSent(queue, probe),
      onError,
    });
    if (read.isSuspect) queue.suspect();
    queues.set(stored.id, queue);
    shares.opened(queue);
    return queue;
  }

  /** One that cannot be read keeps nobody else waiting, and what is meant for it ends with the reason. */
  function prepare(stored: StoredDestination): Destination {
    try {
      return options.prepare(stored);
    } catch (error) {
      onError(error);
      return unreadableDestination(stored, error);
    }
  }

  /** Now and then, and whenever the clock has gone back. It goes on beside the sending. */
  function upkeep(): void {
    const now = clock.now();
    if (now < lastSeen - IDLE_MS) wentBack = true;
    lastSeen = now;
    if (sweeping !== null || (!wentBack && now < nextSweepAt)) return;
    nextSweepAt = now + SWEEP_EVERY_MS;
    const bringForward = wentBack;
    wentBack = false;
    for (const queue of unclosed()) queue.expire();
    for (const queue of retired) if (queue.underWay.size === 0) retired.delete(queue);
    for (const queue of queues.values()) if (queue.idleMs() > QUEUE_IDLE_MS) retire(queue);
    const down = [...queues.values()].filter(({ downSince }) => downSince !== null);
    sweeping = (async () => {
      if (bringForward) {
        await sweep.bringForward();
        // What they have copied of a breaker may be out of reach yet.
        for (const queue of queues.values()) if (queue.downSince !== null) queue.suspect();
      }
      await sweep.run(down.map(({ stored }) => stored));
    })()
      .catch(onError)
      .finally(() => {
        sweeping = null;
        wake();
      });
  }

  function retire(queue: DestinationQueue): void {
    if (queues.delete(queue.stored.id)) shares.closed(queue);
    if (queue.underWay.size > 0) retired.add(queue);
    queue.retire();
  }

  const unclosed = (): DestinationQueue[] => [...queues.values(), ...retired];
  const underWay = () => unclosed().flatMap(queue => [...queue.underWay]);

  return {
    start() {
      looping ??= loop();
    },
    wake,
    invalidate(change) {
      for (const queue of queues.values()) if (names(change, queue.stored)) queue.suspect();
      if (opening !== null && names(change, opening)) opening.isSuspect = true;
      if (change !== null && !isOfDestinations(change)) return;
      options.onDoubt?.();
      // What was held may be due, once its destination goes on.
      wake();
    },
    recheckClaims(organisationId, deliveryIds) {
      for (const queue of unclosed()) {
        if (queue.stored.orgId === organisationId) queue.recheck(deliveryIds);
      }
      options.onDoubt?.();
    },
    reserve: handover.reserve,
    heldTokens: () => [
      ...(claimingWith === null ? [] : [claimingWith]),
      ...handover.tokens(),
      ...unclosed().flatMap(queue => [...queue.heldTokens()]),
    ],
    dropClaims() {
      // What hangs is others' business too by now, and keeps no place from what is claimed next. What is being claimed
      // is for these queues as well, and is given back.
      for (const queue of [...queues.values()]) retire(queue);
      options.onDoubt?.();
      wake();
    },
    async stop() {
      const deadline = performance.now() + STOP_TIMEOUT_MS;
      state.isStopping = true;
      wake();
      await within(Promise.all([looping, sweeping]), STOP_TIMEOUT_MS);
      const waiting = unclosed().flatMap(queue => queue.drain());
      await within(releases.giveBack(waiting).catch(onError), FLUSH_TIMEOUT_MS);
      while (underWay().length > 0 && performance.now() < deadline) {
        await sleep(20);
      }
      state.isOver = true;
      results.hurry();
      await within(
        Promise.all([results.settled(), releases.giveBack(underWay()).catch(onError)]),
        FLUSH_TIMEOUT_MS,
      );
      const closing = unclosed().map(queue => queue.close().catch(onError));
      await within(Promise.all(closing), FLUSH_TIMEOUT_MS);
    },
  };
}

const isOfDestinations = ({ what }: ConfigurationChange): boolean =>
  what === 'destinations' || what === 'organisation';

/** Whether a change may be of this destination; null may be of any. */
const names = (change: ConfigurationChange | null, { orgId, id }: Address): boolean =>
  change === null ||
  (change.organisationId === orgId &&
    isOfDestinations(change) &&
    (change.what === 'organisation' || change.id === undefined || change.id === id));
