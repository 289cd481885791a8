import { type ChartWindow, endOfWindow } from '@sluice/contract/chart-window';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { hours, minutes } from '../../../core/clock.ts';
import { type CounterStore, WHOLE_ORGANISATION } from '../../../core/stores/counters.ts';
import type { EventFilter } from '../../../core/stores/journal.ts';
import { seriesOf } from '../overview/counter-windows.ts';
import { barsOf, histogramWindow } from './histogram.ts';

/**
 * A histogram of more events than anybody looks through, from counters: exact, however many there are. Where there are
 * fewer they are looked at, since what came in a second ago may not be counted yet.
 */

/** Counters are kept by the minute. */
const MINUTE = minutes(1);
const HOUR = hours(1);

interface Counted {
  readonly window: ChartWindow;
  readonly counts: number[];
}

interface Stretch {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** Null where it is not known from counters, or there are few enough to be looked at. */
export async function countedHistogram(
  orgId: string,
  filter: EventFilter,
  { from, to }: Stretch,
  {
    counters,
    keptFrom,
    timesOf,
  }: {
    readonly counters: Pick<CounterStore, 'readCounters'>;
    /** Counters are kept from here on; what died or failed before may be kept longer. */
    readonly keptFrom: number;
    /** When those came in that match, within a time; null where there are too many. */
    timesOf(filter: EventFilter, within: Stretch): Promise<readonly number[] | null>;
  },
): Promise<Counted | null> {
  const counted = countedAs(filter);
  if (counted === null) return null;
  const [subject, name] = counted;
  const sumOf = async (within: Stretch, of: string, by: string): Promise<number> => {
    if (within.from >= within.to) return 0;
    const one = { from: within.from, stepMs: within.to - within.from, points: 1 };
    const [sum] = await counters.readCounters(orgId, [of], [by], one);
    return Math.max(0, sum?.amount ?? 0);
  };
  const counting = Math.ceil(keptFrom / HOUR) * HOUR;
  const inner = {
    from: Math.max(Math.ceil(from / MINUTE) * MINUTE, counting),
    to: Math.floor(to / MINUTE) * MINUTE,
  };
  if ((await sumOf(inner, WHOLE_ORGANISATION, 'received')) <= MOST_COUNTED) return null;

  // Of the minutes at both ends, those that lie within; and what is older than what is counted.
  const before = await timesOf(filter, { from, to: inner.from });
  const after = await timesOf(filter, { from: inner.to, to });
  if (before === null || after === null) return null;
  const window = histogramWindow(from, to, MINUTE);
  const sums = await counters.readCounters(orgId, [subject], [name], window);
  const counts = seriesOf(sums, [name], window.points)[name] ?? [];
  // The bars at both ends may reach beyond it.
  const last = window.points - 1;
  const first = Math.floor((inner.from - window.from) / window.stepMs);
  counts.fill(0, 0, first);
  const begin = { from: window.from + first * window.stepMs, to: inner.from };
  counts[first] = (counts[first] ?? 0) - (await sumOf(begin, subject, name));
  counts[last] =
    (counts[last] ?? 0) - (await sumOf({ from: inner.to, to: endOfWindow(window) }, subject, name));
  const atEnds = barsOf([...before, ...after], window);
  return { window, counts: counts.map((count, n) => Math.max(0, count) + (atEnds[n] ?? 0)) };
}

/** The states that an event comes to its end in are counted as they are now. */
const COUNTED_STATES: ReadonlySet<string> = new Set(['processed', 'dropped', 'failed', 'unrouted']);

/**
 * The subject and the name: all that came in, all of one source, or all that are in one state; null where they are narrowed by
 * anything else. Types are not among them: one may be counted by name only since others have made room for it.
 */
function countedAs(filter: EventFilter): readonly [subject: string, name: string] | null {
  const { after: _after, before: _before, source, state, ...rest } = filter;
  if (Object.values(rest).some(value => value !== undefined)) return null;
  if (state === undefined) return [source ?? WHOLE_ORGANISATION, 'received'];
  return source === undefined && COUNTED_STATES.has(state) ? [WHOLE_ORGANISATION, state] : null;
}
