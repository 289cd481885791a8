import { MOST_COUNTED } from '@sluice/contract/most-counted';
import type { Clock } from '../../../core/clock.ts';
import type { CappedCount, CounterStore, CounterWindow } from '../../../core/stores/counters.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import { receivedIn, totalsOf, wholeOf } from './counter-windows.ts';

/**
 * Events that came in within a window and are dead letters now: what a replay or a retry has resolved, or somebody has
 * discarded, failed once and is none of them. As many as the list of them has.
 */

/** How long pipelines are looked at by themselves: each takes as long as it has failures, and pages that follow ask again. */
const BUDGET_MS = 250;

type Queue = Pick<DeliveryQueue, 'countFailedInEach'>;
type Found = Awaited<ReturnType<Queue['countFailedInEach']>>;

const sumOf = (counts: Found['counts']): number => counts.reduce((sum, { count }) => sum + count, 0);

const cappedAt = (most: number, { counts, more }: Found): CappedCount => ({
  count: Math.min(sumOf(counts), most),
  more,
});

/**
 * Of each pipeline, from one look, which counts the newest where there are more than it counts. Counters have all that
 * ever failed, also what was discarded since: a pipeline of which no more failed than were found is counted whole, and
 * any other is looked at by itself, lest the failures of its neighbours hide its own. Where there is no time left for that,
 * there may be more of it.
 */
export async function failedInEach(
  {
    deliveryQueue,
    counters,
    clock,
  }: {
    readonly deliveryQueue: Queue;
    readonly counters: Pick<CounterStore, 'readCounters'>;
    readonly clock: Clock;
  },
  orgId: string,
  window: CounterWindow,
  pipelines: readonly { readonly id: string }[],
  most = MOST_COUNTED,
): Promise<(id: string) => CappedCount> {
  const { counts, more } = await deliveryQueue.countFailedInEach(orgId, receivedIn(window), most);
  const found = (id: string) => counts.filter(({ pipelineId }) => pipelineId === id);
  if (!more) return id => cappedAt(most, { counts: found(id), more });
  const ids = pipelines.map(({ id }) => id);
  const failed = totalsOf(await counters.readCounters(orgId, ids, ['failed'], wholeOf(window)));
  const known = new Map<string, Found>();
  const until = clock.now() + BUDGET_MS;
  for (const id of ids) {
    const counts = found(id);
    const own = sumOf(counts);
    if (own > most) known.set(id, { counts, more: true });
    else if (failed(id, 'failed') <= own) known.set(id, { counts, more: false });
    else if (clock.now() >= until) known.set(id, { counts, more: true });
    else {
      const filter = { ...receivedIn(window), pipeline: id };
      known.set(id, await deliveryQueue.countFailedInEach(orgId, filter, most));
    }
  }
  return id => cappedAt(most, known.get(id) ?? { counts: found(id), more });
}

/** Of one pipeline, and of each step of one of its versions. */
export async function failedInSteps(
  deliveryQueue: Queue,
  orgId: string,
  window: CounterWindow,
  { id, version, steps }: { readonly id: string; readonly version: number; readonly steps: number },
): Promise<{ readonly total: CappedCount; readonly steps: readonly CappedCount[] }> {
  const filter = { ...receivedIn(window), pipeline: id };
  const all = await deliveryQueue.countFailedInEach(orgId, filter, MOST_COUNTED);
  const at = (step: number) =>
    cappedAt(MOST_COUNTED, {
      counts: all.counts.filter(one => one.version === version && one.step === step),
      more: all.more,
    });
  return { total: cappedAt(MOST_COUNTED, all), steps: Array.from({ length: steps }, (_, step) => at(step)) };
}
