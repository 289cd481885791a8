import { chartWindow, endOfWindow } from '@sluice/contract/chart-window';
import type { PresentRecord } from '@sluice/contract/dashboard-overview';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import type { Clock } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import { type CounterStore, type CounterWindow, WHOLE_ORGANISATION } from '../../../core/stores/counters.ts';
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
