import { chartWindow } from '@sluice/contract/chart-window';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import type { CounterStore } from '../../../core/stores/counters.ts';
import type { Calls } from '../calls.ts';
import { seriesOf } from './counter-windows.ts';

/** What happened by the minute, of the organisation or one part of it. A name that was never counted is zero. */
export function counterCalls(
  calls: Calls,
  { counters, clock }: { readonly counters: Pick<CounterStore, 'readCounters'>; readonly clock: Clock },
): void {
  calls.on('GET /counters', 'read', async call => {
    const { subject, names, minutes } = call.query();
    const window = chartWindow(minutes, clock.now());
    const sums = await counters.readCounters(call.session.orgId, [subject], names, window);
    return call.answer({
      from: toRfc3339(window.from),
      step_s: window.stepMs / 1_000,
      series: seriesOf(sums, names, window.points),
    });
  });
}
