import { type Clock, hours, seconds } from '../../core/clock.ts';
import type { StoredDestination } from '../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../core/stores/configuration.ts';
import type { DeliveryQueue } from '../../core/stores/delivery-queue.ts';
import { longestWait } from '../decide/decide.ts';
import { retryPolicyOf } from '../decide/policy.ts';

/**
 * What is done now and then beside the sending: cancelling what waits for a destination that is gone, ending what has
 * waited in vain for one that is down, and bringing forward what a clock that went back has put out of reach.
 */
interface Sweep {
  run(down: readonly Down[]): Promise<void>;
  /** The clock may have gone back. */
  bringForward(): Promise<void>;
}

/** A destination whose breaker is open, and since when. */
interface Down {
  readonly destination: StoredDestination;
  readonly since: number;
}

const SWEPT_AT_ONCE = 500;
/** How many of those that wait for a destination which is down are looked at: the longest due. */
const LOOKED_AT = 5_000;
/** A receiver may ask to be left alone for so long; jitter makes the longest delay a little longer. */
const LONGEST_ASKED_MS = hours(1);
const JITTER = 1.2;

export function createSweep(options: {
  readonly deliveryQueue: Pick<
    DeliveryQueue,
    'bringForward' | 'cancelOrphans' | 'expireDeliveries' | 'listWaitingDestinations'
  >;
  readonly configuration: Pick<ConfigurationStore, 'findDestination'>;
  readonly clock: Clock;
  isStopping(): boolean;
  onExpired(orgId: string, destinationId: string, deliveries: number): void;
}): Sweep {
  const { deliveryQueue, configuration, clock, isStopping } = options;

  async function inSlices(slice: () => Promise<number>): Promise<void> {
    while (!isStopping() && (await slice()) >= SWEPT_AT_ONCE);
  }

  async function expire({ destination: { orgId, id, policy }, since }: Down): Promise<void> {
    const retry = retryPolicyOf(policy);
    const waits = Array.from({ length: policy.attempts }, (_, made) => longestWait(retry, made));
    while (!isStopping()) {
      const expired = await deliveryQueue.expireDeliveries(orgId, id, waits, clock.now(), LOOKED_AT, since);
      if (expired === 0) return;
      options.onExpired(orgId, id, expired);
    }
  }

  return {
    async run(down) {
      while (!isStopping() && (await deliveryQueue.cancelOrphans(clock.now(), SWEPT_AT_ONCE)) > 0);
      for (const destination of down) await expire(destination);
    },

    async bringForward() {
      for (const { orgId, destinationId } of await deliveryQueue.listWaitingDestinations()) {
        const destination = await configuration.findDestination(orgId, destinationId);
        if (destination === null) continue;
        const longestDelay = seconds(Math.max(...destination.policy.schedule_s)) * JITTER;
        await inSlices(() => {
          const now = clock.now();
          const latest = { pending: now, retrying: now + Math.max(longestDelay, LONGEST_ASKED_MS) };
          return deliveryQueue.bringForward(orgId, destinationId, latest, now, SWEPT_AT_ONCE);
        });
      }
    },
  };
}
