import { type Clock, days } from '../core/clock.ts';
import type { AccountStore } from '../core/stores/accounts.ts';
import { type CounterStore, STEP_MINUTES_MS } from '../core/stores/counters.ts';
import type { Journal } from '../core/stores/journal.ts';
import type { UpkeepStore } from '../core/stores/upkeep.ts';

const SLICE = 250;

/**
 * One round of retention: removes events with all that became of them and what was counted, by their organisation's
 * retention, of steps the minutes sooner; dedupe keys, labels, idempotency keys, sessions and invitations by their own expiry. In small slices
 * with a pause after each, so that what comes in never waits long behind what goes out. A slice that fails is
 * reported, and what it would have removed is left for the next round.
 */
export function createRetention(options: {
  readonly journal: Pick<Journal, 'pruneEvents'>;
  readonly accounts: Pick<AccountStore, 'listOrganisations'>;
  readonly counters: Pick<CounterStore, 'pruneCounters' | 'pruneStepMinutes'>;
  readonly upkeep: Pick<UpkeepStore, 'pruneExpired' | 'pruneProcessing'>;
  readonly clock: Clock;
  readonly defaultRetentionDays: number;
  /** For what failed on its way, where that is longer than the retention. */
  readonly deadLetterDays: number;
  /** Lets others at storage between two slices. */
  pause(): Promise<void>;
  isStopping(): boolean;
  onError(error: unknown): void;
}): () => Promise<void> {
  const { journal, accounts, counters, upkeep, clock, pause, isStopping, onError } = options;

  async function inSlices(prune: () => Promise<number>): Promise<void> {
    try {
      while (!isStopping() && (await prune()) >= SLICE) await pause();
    } catch (error) {
      onError(error);
    }
  }

  async function pruneStepMinutes(orgId: string): Promise<void> {
    const before = clock.now() - STEP_MINUTES_MS;
    try {
      for (let after: string | null = ''; after !== null && !isStopping(); ) {
        after = await counters.pruneStepMinutes(orgId, before, { after, limit: SLICE });
        if (after !== null) await pause();
      }
    } catch (error) {
      onError(error);
    }
  }

  async function pruneEvents(orgId: string, retentionDays: number): Promise<void> {
    const before = clock.now() - days(retentionDays);
    const deadBefore = clock.now() - days(Math.max(retentionDays, options.deadLetterDays));
    let after: string | null = null;
    try {
      do {
        const slice = { after, limit: SLICE };
        const { next }: { next: string | null } = await journal.pruneEvents(
          orgId,
          { before, deadBefore },
          slice,
        );
        after = next;
        if (after !== null) await pause();
      } while (after !== null && !isStopping());
    } catch (error) {
      onError(error);
    }
  }

  return async () => {
    const organisations = await accounts.listOrganisations().catch((error: unknown) => {
      onError(error);
      return [];
    });
    for (const { id, retentionDays } of organisations) {
      if (isStopping()) return;
      const kept = retentionDays ?? options.defaultRetentionDays;
      await pruneEvents(id, kept);
      await inSlices(() => counters.pruneCounters(id, clock.now() - days(kept), SLICE));
      await pruneStepMinutes(id);
    }
    const unusedSince = clock.now() - days(options.defaultRetentionDays);
    await inSlices(() => upkeep.pruneProcessing(clock.now(), unusedSince, SLICE));
    await inSlices(() => upkeep.pruneExpired(clock.now(), SLICE));
  };
}
