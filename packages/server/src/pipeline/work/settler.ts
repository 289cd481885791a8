import type { Clock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { PipelineEvent } from '../../core/event/scope.ts';
import type { EventQueue, SettledEvent, Settlement, SettleResult } from '../../core/stores/event-queue.ts';
import { createBatcher } from '../../core/work/batcher.ts';
import { type Reservation, storeReserved } from '../../core/work/reservation.ts';
import { withoutLost, withoutNeedless } from './settle.ts';

/** Writes what became of events, those that end together in one go. */
interface Settler {
  /** Resolves with what was written; null where it was refused because somebody else has the event by now. */
  settle(settlement: Settlement, event: PipelineEvent): Promise<Written | null>;
}

/** Room for the deliveries of what is about to be settled; null where all of them are to wait in storage. */
export type ReserveDeliveries = (
  settling: readonly Settling[],
  at: number,
) => Reservation<Settlement, SettleResult> | null;

interface Settling {
  readonly settlement: Settlement;
  readonly event: PipelineEvent;
}

interface Written {
  readonly settlement: Settlement;
  readonly result: Extract<SettleResult, { kind: 'settled' }>;
  /** When: its deliveries were made then. */
  readonly at: number;
}

/** An event that came through these sources is settled, and that is on disk since this moment. */
export type OnSettled = (
  event: SettledEvent,
  result: Written['result'],
  sourceIds: readonly string[],
  at: number,
) => void;

/** What storage answered, and which moment it was given. */
interface Answered {
  readonly result: SettleResult;
  readonly at: number;
}

/** A transaction of these keeps the journal waiting for a few milliseconds only. */
const MOST_AT_ONCE = 128;
const TRANSACTIONS_AT_ONCE = 1;
const RETRY_MS = 500;

export function createSettler(options: {
  readonly eventQueue: Pick<EventQueue, 'settleEvents'>;
  readonly clock: Clock;
  pause(ms: number): Promise<void>;
  readonly reserve: ReserveDeliveries;
  /** Deliveries were made that wait in storage. */
  onDeliveries(): void;
  onError(error: unknown): void;
}): Settler {
  const { eventQueue, clock, pause, onError } = options;
  const batcher = createBatcher<Settling, Answered>({
    write,
    most: MOST_AT_ONCE,
    atOnce: TRANSACTIONS_AT_ONCE,
    whenAway: { retryMs: RETRY_MS, pause },
    whenRefused: 'each alone',
    onError,
    onEnded(_settling, results) {
      if (results.some(answered => hasWaiting(answered?.result))) options.onDeliveries();
    },
  });

  async function write(settling: readonly Settling[]): Promise<Answered[]> {
    const at = clock.now();
    const settlements = settling.map(({ settlement }) => settlement);
    const results = await storeReserved(options.reserve(settling, at), settlements, given =>
      eventQueue.settleEvents(given, at),
    );
    return results.map(result => ({ result, at }));
  }

  return {
    async settle(given, event) {
      let settlement = given;
      let isStorable = true;
      for (;;) {
        try {
          const { result, at } = await batcher.add({ settlement, event });
          if (result.kind === 'lost') settlement = withoutLost(settlement, result);
          else if (result.kind === 'needless') settlement = withoutNeedless(settlement, result);
          else return result.kind === 'settled' ? { settlement, result, at } : null;
        } catch (error) {
          // It is found that nobody has it any more, and then it is tried again, alone.
          if (!isStorable) return null;
          // What storage cannot take as it is still ends, with a reason.
          settlement = unstorable(settlement, error);
          isStorable = false;
        }
      }
    },
  };
}

const hasWaiting = (result: SettleResult | undefined): boolean =>
  result?.kind === 'settled' && result.deliveries > (result.claimed?.length ?? 0);

const unstorable = (settlement: Settlement, error: unknown): Settlement => ({
  ...settlement,
  runs: settlement.runs.map(run => ({
    ...run,
    outcome: 'failed',
    step: null,
    reason: `It could not be stored: ${messageOf(error)}`,
    trace: '{"steps":[],"states":[]}',
    output: '',
    notes: [],
    claims: [],
    destinations: [],
  })),
});
