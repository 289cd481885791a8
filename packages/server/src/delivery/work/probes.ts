import { type Clock, seconds } from '../../core/clock.ts';
import type { Probe, StoredDestination } from '../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../core/stores/configuration.ts';
import { nextProbeAfter } from '../decide/breaker.ts';
import { quoted } from '../rendering/text.ts';
import type { DestinationQueue } from './destination-queue.ts';

/**
 * Breakers as all nodes have them: what one finds out of a destination is written where the others read it, and a
 * probe goes out from the one that has taken it. Where something cannot be written, what storage has is read again, and
 * holds: the next probe finds out the same.
 */
export interface Probes {
  /** Asks for the next probe where that may be due; answers whether something may be claimed now. */
  take(queue: DestinationQueue, firstDueAt: number, token: string): Promise<boolean>;
  notSent(queue: DestinationQueue, probe: Probe): Promise<void>;
  /** The next one leaves at its moment, and no earlier than the other side has asked for. */
  failed(queue: DestinationQueue, probe: Probe, failure: string, notBefore: number): Promise<void>;
  opened(queue: DestinationQueue, failure: string): Promise<void>;
  closed(queue: DestinationQueue): Promise<void>;
}

/** Beside its timeout, how long a probe may take until it is sent: after that somebody else may send one. */
const PROBE_LEASE_MS = seconds(15);

export function createProbes(options: {
  readonly configuration: Pick<ConfigurationStore, 'closeBreaker' | 'endProbe' | 'openBreaker' | 'takeProbe'>;
  readonly clock: Clock;
  /** What this node has of a destination's breaker may not be what storage has: that is to be read again. */
  onUnsure(destination: StoredDestination): void;
  onError(error: unknown): void;
}): Probes {
  const { configuration, clock, onUnsure, onError } = options;

  return {
    async take(queue, firstDueAt, token) {
      if (queue.downSince === null || queue.hasProbe) return true;
      const now = clock.now();
      if (!queue.wantsProbe(firstDueAt)) return false;
      const { orgId, id, policy } = queue.stored;
      const probe = { token, leftAt: now, until: now + seconds(policy.timeout_s) + PROBE_LEASE_MS };
      const { isTaken, breaker } = await configuration.takeProbe(orgId, id, { ...probe, now, firstDueAt });
      queue.adopt(breaker);
      if (isTaken) queue.beginProbe(probe);
      return isTaken || breaker === null;
    },

    async notSent({ stored }, { token }) {
      await configuration.endProbe(stored.orgId, stored.id, token, { kind: 'not_sent' }).catch(onError);
      onUnsure(stored);
    },

    async failed(queue, { token, leftAt }, failure, notBefore) {
      const { orgId, id } = queue.stored;
      const endedAt = clock.now();
      const nextProbeAt = Math.max(nextProbeAfter(queue.downSince ?? leftAt, endedAt), notBefore);
      const end = { kind: 'failed', leftAt, endedAt, nextProbeAt, failure: quoted(failure) } as const;
      queue.probeFailed(end);
      await configuration.endProbe(orgId, id, token, end).catch(onError);
      // Another queue may have taken over since it left.
      onUnsure(queue.stored);
    },

    async opened(queue, failure) {
      const { orgId, id } = queue.stored;
      const openedAt = queue.downSince ?? clock.now();
      const opened = { openedAt, nextProbeAt: nextProbeAfter(openedAt, openedAt), failure: quoted(failure) };
      try {
        queue.adopt(await configuration.openBreaker(orgId, id, opened));
      } catch (error) {
        onError(error);
      }
    },

    async closed({ stored }) {
      try {
        await configuration.closeBreaker(stored.orgId, stored.id);
      } catch (error) {
        onError(error);
        // It would stand open for ever, and the next outage be taken for a part of this one.
        onUnsure(stored);
      }
    },
  };
}
