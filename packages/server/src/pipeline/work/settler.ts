import type { Clock } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import type { EventClaims, Settlement, SettleResult } from '../../core/stores/pipelines.ts';
import { withoutLost, withoutNeedless } from './settle.ts';

/** Writes what became of events, those that end together in one go. */
export interface Settler {
  /** Resolves with what was written; null where it was refused because somebody else has the event by now. */
  settle(settlement: Settlement): Promise<Written | null>;
}

export interface Written {
  readonly settlement: Settlement;
  readonly result: Extract<SettleResult, { kind: 'settled' }>;
}

interface Waiting {
  readonly settlement: Settlement;
  readonly resolve: (written: Written | null) => void;
}

/** A transaction of these keeps the journal waiting for a few milliseconds only. */
const MOST_AT_ONCE = 128;
const TRANSACTIONS_AT_ONCE = 1;
const RETRY_MS = 500;

export function createSettler(options: {
  readonly storage: Pick<EventClaims, 'settleEvents'>;
  readonly clock: Clock;
  pause(ms: number): Promise<void>;
  onDeliveries(): void;
  onError(error: unknown): void;
}): Settler {
  const { storage, clock, pause, onError } = options;
  let queue: Waiting[] = [];
  let running = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || queue.length === 0 || running >= TRANSACTIONS_AT_ONCE) return;
    scheduled = true;
    // After this turn's reports have been read: they share the transaction.
    setImmediate(() => {
      scheduled = false;
      running++;
      const batch = queue.slice(0, MOST_AT_ONCE);
      queue = queue.slice(MOST_AT_ONCE);
      void write(batch).finally(() => {
        running--;
        schedule();
      });
      schedule();
    });
  }

  async function write(batch: readonly Waiting[]): Promise<void> {
    for (;;) {
      try {
        await attempt(batch);
        return;
      } catch (error) {
        if (isAway(error)) {
          await pause(RETRY_MS);
          continue;
        }
        onError(error);
        for (const waiting of batch) await writeAlone(waiting);
        return;
      }
    }
  }

  async function attempt(batch: readonly Waiting[]): Promise<void> {
    const results = await storage.settleEvents(
      batch.map(({ settlement }) => settlement),
      clock.now(),
    );
    let made = 0;
    for (const [i, waiting] of batch.entries()) {
      const result = results[i];
      if (result?.kind === 'lost') {
        queue.push({ ...waiting, settlement: withoutLost(waiting.settlement, result) });
        continue;
      }
      if (result?.kind === 'needless') {
        queue.push({ ...waiting, settlement: withoutNeedless(waiting.settlement, result) });
        continue;
      }
      if (result?.kind === 'settled') {
        made += result.deliveries;
        waiting.resolve({ settlement: waiting.settlement, result });
      } else waiting.resolve(null);
    }
    if (made > 0) options.onDeliveries();
  }

  /** What storage cannot take as it is costs nobody else anything, and still ends with a reason. */
  async function writeAlone(waiting: Waiting): Promise<void> {
    try {
      await attempt([waiting]);
    } catch (error) {
      if (isAway(error)) {
        queue.push(waiting);
        return;
      }
      const settlement = unstorable(waiting.settlement, error);
      await attempt([{ ...waiting, settlement }]).catch((again: unknown) => {
        // Its lease ends by itself, and then it is tried again, alone.
        onError(again);
        waiting.resolve(null);
      });
    }
  }

  return {
    settle: settlement =>
      new Promise(resolve => {
        queue.push({ settlement, resolve });
        schedule();
      }),
  };
}

export const isAway = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'storage_unavailable';

const unstorable = (settlement: Settlement, error: unknown): Settlement => ({
  ...settlement,
  runs: settlement.runs.map(run => ({
    ...run,
    outcome: 'failed',
    step: null,
    reason: `It could not be stored: ${error instanceof Error ? error.message : String(error)}`,
    trace: '{"steps":[],"states":[]}',
    output: '',
    notes: [],
    claims: [],
    destinations: [],
  })),
});
