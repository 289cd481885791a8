import { MOST_EVENTS_COUNTED } from '@sluice/contract/dashboard-events';
import { type Clock, minutes, toRfc3339 } from '../../../core/clock.ts';
import { type CounterStore, WHOLE_ORGANISATION } from '../../../core/stores/counters.ts';
import type { EventFilter, Journal } from '../../../core/stores/journal.ts';
import type { Calls } from '../calls.ts';
import { seriesOf } from '../overview/counter-windows.ts';
import { optionalTime } from '../records.ts';
import { toFilter } from './event-filter.ts';
import { barsOf, histogramWindow } from './histogram.ts';
import type { LimitedJournal } from './search-limit.ts';

const SEARCH_BUDGET_MS = 350;
const LATEST_LOOKED_AT = 10_000;
const MOST_TYPES = 300;
/** Counters are kept by the minute. */
const COUNTED_MS = minutes(1);

/** How many events match and when they came in, and of which types there are any. */
export function eventChartCalls(
  calls: Calls,
  {
    journal,
    counters,
    clock,
  }: {
    readonly journal: Pick<LimitedJournal, 'listEventTimes'> & Pick<Journal, 'listEventTypes'>;
    readonly counters: Pick<CounterStore, 'readCounters'>;
    readonly clock: Clock;
  },
): void {
  calls.on('GET /events/histogram', 'read', async call => {
    const { orgId } = call.session;
    const filter = toFilter(call.query());
    const { times, more, searchedTo, oldest } = await journal.listEventTimes(
      orgId,
      filter,
      { most: MOST_EVENTS_COUNTED, budgetMs: SEARCH_BUDGET_MS },
      call.request.signal,
    );
    const isWhole = !more && searchedTo === null;
    const to = Math.min(filter.before ?? Number.POSITIVE_INFINITY, clock.now() + 1);
    const first = (isWhole ? times.at(-1) : oldest) ?? to - 1;
    const from = Math.max(filter.after === undefined ? first : filter.after + 1, 0);
    const subject = isWhole ? null : countedSubject(filter);
    const window = histogramWindow(from, to, subject === null ? undefined : COUNTED_MS);
    const answer = (counts: number[], countedFrom: number | null) =>
      call.answer({
        from: toRfc3339(window.from),
        step_s: window.stepMs / 1_000,
        counts,
        total: { count: times.length, more: !isWhole },
        counted_from: optionalTime(countedFrom),
      });
    if (subject === null)
      return answer(barsOf(times, window), isWhole ? null : (searchedTo ?? times.at(-1) ?? null));
    const sums = await counters.readCounters(orgId, [subject], ['received'], window);
    return answer(seriesOf(sums, ['received'], window.points).received ?? [], null);
  });

  calls.on('GET /events/types', 'read', async call =>
    call.answer([
      ...(await journal.listEventTypes(call.session.orgId, { latest: LATEST_LOOKED_AT, most: MOST_TYPES })),
    ]),
  );
}

/** Of what is counted as it comes in: all of it, or all of one source; null where it is narrowed by anything else. */
function countedSubject({ after: _after, before: _before, source, ...rest }: EventFilter): string | null {
  if (Object.values(rest).some(value => value !== undefined)) return null;
  return source ?? WHOLE_ORGANISATION;
}
