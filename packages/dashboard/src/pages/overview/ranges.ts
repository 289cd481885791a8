import { chartWindowBetween, endOfWindow } from '@sluice/contract/chart-window';
import { describeSpan, type SpanName, spanNames, spans, USUAL_SPAN } from '../../lib/spans.ts';
import { timeFormat } from '../../lib/time-display.ts';

/** The time that the overview shows, as its address says it, and as the lists that it leads to are asked for it. */

/** Two moments, in epoch milliseconds. */
export interface Between {
  readonly from: number;
  readonly to: number;
}

export interface Range {
  /** Up to now; or, where two moments are given, what was shown before they were. */
  readonly span: SpanName;
  readonly between: Between | null;
}

export function rangeOf(address: { range?: string; from?: string; to?: string }): Range {
  const span = spanNames.find(name => name === address.range) ?? USUAL_SPAN;
  const [from, to] = [Date.parse(address.from ?? ''), Date.parse(address.to ?? '')];
  return { span, between: from < to ? { from, to } : null };
}

/** What the address of this range holds. */
export const addressOfRange = ({ span, between }: Range): Record<string, string> => ({
  ...(span === USUAL_SPAN ? {} : { range: span }),
  ...(between === null ? {} : inWords(between)),
});

/** What the server is asked for. */
export const queryOfRange = ({ span, between }: Range): { minutes: number } | { from: string; to: string } =>
  between === null ? { minutes: spans[span].minutes } : inWords(between);

/** What a list is asked for, so that it has as many as the figure that leads to it: charts have whole steps. */
export function listedWithin({ span, between }: Range): Record<string, string> {
  if (between === null) return { within: span };
  const window = chartWindowBetween(between.from, between.to);
  return { after: toIso(window.from - 1), before: toIso(endOfWindow(window)) };
}

/** `in the last hour`, `17 Nov, 14:00 to 15:30` */
export const describeRange = ({ span, between }: Range): string =>
  between === null ? `in ${describeSpan(span)}` : describeBetween(between);

const day = timeFormat({ day: 'numeric', month: 'short' });
const clock = timeFormat({ hour: '2-digit', minute: '2-digit' });

/** The whole steps that its figures are of. */
function describeBetween(between: Between): string {
  const { from, ...steps } = chartWindowBetween(between.from, between.to);
  const to = endOfWindow({ from, ...steps });
  const isOneDay = day.format(from) === day.format(to);
  const moment = (at: number) => `${day.format(at)}, ${clock.format(at)}`;
  return `${moment(from)} to ${isOneDay ? clock.format(to) : moment(to)}`;
}

const toIso = (at: number): string => new Date(at).toISOString();
const inWords = ({ from, to }: Between) => ({ from: toIso(from), to: toIso(to) });
