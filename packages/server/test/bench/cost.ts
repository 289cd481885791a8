import { atMost, type Figure, plainly, thousands } from './figure.ts';
import type { Spent } from './meter.ts';

/** What an event costs, as it stands in the table beside its rate. */

/** Several windows of one measurement as one. */
export function together(windows: readonly Spent[]): Spent {
  const byThread: Record<string, number> = {};
  for (const window of windows)
    for (const [thread, ms] of Object.entries(window.byThread))
      byThread[thread] = (byThread[thread] ?? 0) + ms;
  const sum = (of: (window: Spent) => number) => windows.reduce((total, window) => total + of(window), 0);
  const sumOrNull = (of: (window: Spent) => number | null) =>
    windows.some(window => of(window) === null) ? null : sum(window => of(window) ?? 0);
  return {
    events: sum(({ events }) => events),
    cpuMs: sum(({ cpuMs }) => cpuMs),
    byThread,
    writtenBytes: sum(({ writtenBytes }) => writtenBytes),
    commits: sum(({ commits }) => commits),
    databaseMs: sumOrNull(({ databaseMs }) => databaseMs),
    transactions: sumOrNull(({ transactions }) => transactions),
  };
}

interface Wanted {
  /** What is counted: events where this is left out. */
  readonly unit?: string;
  readonly mostMicroseconds?: number;
}

/** CPU time by thread, bytes and commits, each for an event. */
export function costFigures(
  of: string,
  spent: Spent | null,
  { unit = 'event', mostMicroseconds }: Wanted = {},
): Figure[] {
  if (spent === null) throw new Error(`It was not metered: ${of}.`);
  const threads = Object.entries(spent.byThread)
    .map(([thread, ms]) => ({ thread, us: (ms * 1_000) / spent.events }))
    .filter(({ us }) => us >= 0.5)
    .sort((a, b) => b.us - a.us)
    .map(({ thread, us }) => `${thread} ${thousands(us)}`);
  const all = (spent.cpuMs * 1_000) / spent.events;
  const name = `${of}: CPU of the service for each ${unit}, µs`;
  const note = ` (${threads.join(', ')}${databaseNote(spent)})`;
  return [
    mostMicroseconds === undefined
      ? plainly(name, `${thousands(all)}${note}`)
      : atMost(name, all, mostMicroseconds, note),
    plainly(`${of}: written for each ${unit}`, written(spent)),
  ];
}

const databaseNote = ({ databaseMs, events }: Spent): string =>
  databaseMs === null ? '' : `; the database server ${thousands((databaseMs * 1_000) / events)} more`;

function written({ writtenBytes, commits, transactions, events }: Spent): string {
  const bytes = thousands(writtenBytes / events);
  const each = (commits / events).toFixed(3);
  return transactions === null
    ? `${bytes} bytes, by SQLite's writer to its WAL and at checkpoints; ${each} commits`
    : `${bytes} bytes of WAL; ${each} commits that wrote, ${(transactions / events).toFixed(3)} transactions`;
}
