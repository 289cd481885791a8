import { type Clock, minutes, seconds } from '../../core/clock.ts';
import type { StoredDestination } from '../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../core/stores/configuration.ts';
import type { DeliveryQueue, WaitingDelivery } from '../../core/stores/delivery-queue.ts';
import { LONGEST_JITTER } from '../../core/work/backoff.ts';
import { MOST_HEEDED_RETRY_AFTER_MS } from '../decide/decide.ts';
import { isGivenUp, mayGiveUp } from '../decide/given-up.ts';

/**
 * What is done now and then beside the sending: cancelling what waits for a destination that is gone, giving up what
 * has waited in vain for one that is down, and bringing forward what a clock that went back has put out of reach.
 */
interface Sweep {
  /** With the destinations that are down. */
  run(down: readonly Address[]): Promise<void>;
  /** The clock may have gone back. */
  bringForward(): Promise<void>;
}

type Address = Pick<StoredDestination, 'orgId' | 'id'>;

const SWEPT_AT_ONCE = 500;
/** Of what waits for a destination that is down, so much is looked at in one go, and so often in one sweep. */
const LOOKED_AT = 2_000;
const MOST_LOOKS = 25;
/** No probe takes longer: the longest timeout there may be, and time to spare. */
const LONGEST_PROBE_MS = minutes(10);

export function createSweep(options: {
  readonly deliveryQueue: Pick<
    DeliveryQueue,
    'bringForward' | 'cancelOrphans' | 'expireDeliveries' | 'listWaiting' | 'listWaitingDestinations'
  >;
  readonly configuration: Pick<ConfigurationStore, 'bringProbesForward' | 'findDestination'>;
  readonly clock: Clock;
  isStopping(): boolean;
  onExpired(orgId: string, destinationId: string, deliveries: number): void;
  onOrphansCancelled(deliveries: number): void;
}): Sweep {
  const { deliveryQueue, configuration, clock, isStopping } = options;
  /** Where the next sweep goes on, of destinations at which more waits than one looks at. */
  const positions = new Map<string, WaitingDelivery>();

  async function inSlices(slice: () => Promise<number>): Promise<void> {
    while (!isStopping() && (await slice()) >= SWEPT_AT_ONCE);
  }

  async function giveUp({ orgId, id }: Address): Promise<void> {
    const destination = await configuration.findDestination(orgId, id);
    const after = positions.get(id) ?? null;
    positions.delete(id);
    if (destination === null || destination.paused || !mayGiveUp(destination)) return;
    let last = after;
    for (let look = 0; look < MOST_LOOKS && !isStopping(); look++) {
      const page = { dueBy: clock.now(), after: last, limit: LOOKED_AT };
      const waiting = await deliveryQueue.listWaiting(orgId, id, page);
      await expire(destination, waiting);
      last = waiting.at(-1) ?? null;
      if (waiting.length < LOOKED_AT) return;
    }
    if (last !== null) positions.set(id, last);
  }

  async function expire(destination: StoredDestination, waiting: readonly WaitingDelivery[]): Promise<void> {
    const { orgId, id, breaker, updatedAt: asOf } = destination;
    if (breaker?.lastProbeAt == null) return;
    const outage = { downSince: breaker.openedAt, probedAt: breaker.lastProbeAt };
    const ids = waiting.filter(one => isGivenUp(one, destination)).map(one => one.id);
    for (let from = 0; from < ids.length; from += SWEPT_AT_ONCE) {
      const slice = ids.slice(from, from + SWEPT_AT_ONCE);
      const expired = await deliveryQueue.expireDeliveries({ orgId, id, asOf }, slice, outage, clock.now());
      if (expired > 0) options.onExpired(orgId, id, expired);
    }
  }

  async function cancelOrphans(): Promise<void> {
    while (!isStopping()) {
      const cancelled = await deliveryQueue.cancelOrphans(clock.now(), SWEPT_AT_ONCE);
      if (cancelled === 0) return;
      options.onOrphansCancelled(cancelled);
    }
  }

  return {
    async run(down) {
      await cancelOrphans();
      for (const destination of down) await giveUp(destination);
    },

    async bringForward() {
      const at = clock.now();
      await configuration.bringProbesForward({
        now: at,
        nextProbeAt: at + MOST_HEEDED_RETRY_AFTER_MS,
        probeUntil: at + LONGEST_PROBE_MS,
      });
      for (const { orgId, destinationId } of await deliveryQueue.listWaitingDestinations()) {
        const destination = await configuration.findDestination(orgId, destinationId);
        if (destination === null) continue;
        const schedules = [destination.policy, ...destination.formerPolicies];
        const longestDelay = seconds(Math.max(...schedules.flatMap(({ schedule_s }) => schedule_s)));
        const latest = Math.max(longestDelay * LONGEST_JITTER, MOST_HEEDED_RETRY_AFTER_MS);
        await inSlices(() => {
          const now = clock.now();
          return deliveryQueue.bringForward(
            orgId,
            destinationId,
            { pending: now, retrying: now + latest },
            now,
            SWEPT_AT_ONCE,
          );
        });
      }
    },
  };
}
