import { endOfWindow } from '@sluice/contract/chart-window';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import type { CappedCount, CounterStore, CounterWindow } from '../../../core/stores/counters.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import { totalsOf, wholeOf } from './counter-windows.ts';

/**
 * Events that came in within a window and are dead letters now: what a replay or a retry has resolved, or somebody has
 * discarded, failed once and is none of them. As many as the list of them has.
 */

type Queue = Pick<DeliveryQueue, 'countFailedInEach'>;
type Found = Awaited<ReturnType<Queue['countFailedInEach']>>;

const receivedIn = (window: CounterWindow) => ({
  receivedAfter: window.from - 1,
  receivedBefore: endOfWindow(window),
});

const sumOf = (counts: Found['counts']): number => counts.reduce((sum, { count }) => sum + count, 0);

const cappedAt = (most: number, { counts, more }: Found): CappedCount => ({
  count: Math.min(sumOf(counts), most),
  more,
});

/**
 * Of each pipeline. All are found in one look, unless there are more than it counts: then those are counted by themselves
 * of which it may have missed some.
 */
export async function failedInEach(
  stores: { readonly deliveryQueue: Queue; readonly counters: Pick<CounterStore, 'readCounters'> },
  orgId: string,
  window: CounterWindow,
  pipelines: readonly { readonly id: string }[],
  most = MOST_COUNTED,
): Promise<(id: string) => CappedCount> {
  const { deliveryQueue, counters } = stores;
  const { counts, more } = await deliveryQueue.countFailedInEach(orgId, receivedIn(window), most);
  const found = (id: string) => sumOf(counts.filter(({ pipelineId }) => pipelineId === id));
  if (!more) return id => ({ count: found(id), more: false });
  const ids = pipelines.map(({ id }) => id);
  // Counters still have what was discarded: where no more failed than were found, none was missed.
  const failed = totalsOf(await counters.readCounters(orgId, ids, ['failed'], wholeOf(window)));
  const counted = await Promise.all(
    ids.map(async (id): Promise<[string, CappedCount]> => {
      if (found(id) > most) return [id, { count: most, more: true }];
      if (failed(id, 'failed') <= found(id)) return [id, { count: found(id), more: false }];
      const filter = { ...receivedIn(window), pipeline: id };
      return [id, cappedAt(most, await deliveryQueue.countFailedInEach(orgId, filter, most))];
    }),
  );
  const all = new Map(counted);
  return id => all.get(id) ?? { count: 0, more: false };
}

/** Of one pipeline, and of each step of one of its versions. Where not all are counted, each step is counted by itself. */
export async function failedInSteps(
  deliveryQueue: Queue,
  orgId: string,
  window: CounterWindow,
  { id, version, steps }: { readonly id: string; readonly version: number; readonly steps: number },
  most = MOST_COUNTED,
): Promise<{ readonly total: CappedCount; readonly steps: readonly CappedCount[] }> {
  const filter = { ...receivedIn(window), pipeline: id };
  const all = await deliveryQueue.countFailedInEach(orgId, filter, most);
  const at = async (step: number): Promise<CappedCount> => {
    const { counts, more } = all.more
      ? await deliveryQueue.countFailedInEach(orgId, { ...filter, step }, most)
      : all;
    const here = counts.filter(one => one.version === version && one.step === step);
    return cappedAt(most, { counts: here, more });
  };
  return {
    total: cappedAt(most, all),
    steps: await Promise.all(Array.from({ length: steps }, (_, step) => at(step))),
  };
}
