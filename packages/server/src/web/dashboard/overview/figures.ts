import { chartWindow, endOfWindow } from '@sluice/contract/chart-window';
import type { PresentRecord } from '@sluice/contract/dashboard-overview';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import type { Clock } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import {
  type CappedCount,
  type CounterStore,
  type CounterWindow,
  WHOLE_ORGANISATION,
} from '../../../core/stores/counters.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import { latencyNames } from '../../../core/stores/latency.ts';
import type { Calls } from '../calls.ts';
import { percentileOf, totalsOf, wholeOf } from './counter-windows.ts';

type Counters = Pick<CounterStore, 'countPresent' | 'readCounters'>;

/**
 * Deliveries that were made within a window, by the state that they are in now: of the organisation, or to one
 * destination. What has arrived is counted once and for all; what has not is looked up, since it may yet.
 */
export async function presentFigures(
  counters: Counters,
  orgId: string,
  window: CounterWindow,
  destination?: string,
): Promise<PresentRecord> {
  const whole = wholeOf(window);
  const made = {
    from: whole.from,
    to: endOfWindow(whole),
    ...(destination === undefined ? {} : { destination }),
  };
  const [sums, present] = await Promise.all([
    counters.readCounters(orgId, [destination ?? WHOLE_ORGANISATION], ['delivered'], whole),
    counters.countPresent(orgId, made, MOST_COUNTED),
  ]);
  return { delivered: Math.max(0, sums[0]?.amount ?? 0), ...present };
}

/**
 * Events that came in within a window and are dead letters now, of each pipeline, or of one: what a replay or a retry has
 * resolved, or somebody has discarded, failed once and is none of them. As many as the list of them has.
 */
export async function failedFigures(
  deliveryQueue: Pick<DeliveryQueue, 'countFailedInEach'>,
  orgId: string,
  window: CounterWindow,
  pipeline?: string,
): Promise<(id: string, at?: { readonly version: number; readonly step: number }) => CappedCount> {
  const received = { receivedAfter: window.from - 1, receivedBefore: endOfWindow(window) };
  const filter = pipeline === undefined ? received : { ...received, pipeline };
  const { counts, more } = await deliveryQueue.countFailedInEach(orgId, filter, MOST_COUNTED);
  return (id, at) => {
    const own = counts.filter(
      one =>
        one.pipelineId === id && (at === undefined || (one.version === at.version && one.step === at.step)),
    );
    const count = own.reduce((sum, one) => sum + one.count, 0);
    return { count: Math.min(count, MOST_COUNTED), more };
  };
}

export function figureCalls(
  calls: Calls,
  {
    counters,
    configuration,
    clock,
  }: {
    readonly counters: Counters;
    readonly configuration: Pick<ConfigurationStore, 'findDestination'>;
    readonly clock: Clock;
  },
): void {
  calls.on('GET /destinations/:id/figures', 'read', async call => {
    const { orgId } = call.session;
    const id = call.param('id');
    if ((await configuration.findDestination(orgId, id)) === null) throw new Problem('not_found');
    const window = chartWindow(call.query().minutes, clock.now());
    const [present, latencies] = await Promise.all([
      presentFigures(counters, orgId, window, id),
      counters.readCounters(orgId, [id], latencyNames, wholeOf(window)),
    ]);
    return call.answer({ ...present, p95_ms: percentileOf(0.95, id, totalsOf(latencies)) });
  });
}
