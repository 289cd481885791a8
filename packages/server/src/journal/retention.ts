import { type Clock, days } from '../core/clock.ts';
import type { Storage } from '../core/ports.ts';

const SLICE = 500;

/**
 * One round of forgetting: events by their organisation's retention, idempotency keys, sessions and invitations
 * by their own expiry. In small slices with a pause after each, so that what comes in never waits long behind
 * what goes out. A slice that fails is told, and what it would have removed is left for the next round.
 */
export function createRetention(options: {
  readonly storage: Pick<Storage, 'listOrganisations' | 'pruneEvents' | 'pruneExpired'>;
  readonly clock: Clock;
  readonly defaultRetentionDays: number;
  /** Lets others at storage between two slices. */
  pause(): Promise<void>;
  isStopping(): boolean;
  onError(error: unknown): void;
}): () => Promise<void> {
  const { storage, clock, pause, isStopping, onError } = options;

  async function inSlices(prune: () => Promise<number>): Promise<void> {
    try {
      while (!isStopping() && (await prune()) >= SLICE) await pause();
    } catch (error) {
      onError(error);
    }
  }

  return async () => {
    const organisations = await storage.listOrganisations().catch((error: unknown) => {
      onError(error);
      return [];
    });
    for (const { id, retentionDays } of organisations) {
      const before = clock.now() - days(retentionDays ?? options.defaultRetentionDays);
      await inSlices(() => storage.pruneEvents(id, before, SLICE));
    }
    await inSlices(() => storage.pruneExpired(clock.now(), SLICE));
  };
}
