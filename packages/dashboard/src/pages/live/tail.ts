import type { EventSummary } from '@sluice/contract/dashboard-events';
import type { News } from '../../lib/api/tail.ts';

/** The rows of a live tail, as pure state: what came, what is held while it is paused. */

/** What a tail keeps: a page that is open for days must not grow for days. */
export const MOST_KEPT = 1_000;

/** Newest first. */
export interface Tail {
  readonly rows: readonly EventSummary[];
  /** What has come while it was paused, and how much that is in all. */
  readonly held: readonly EventSummary[];
  readonly heldCount: number;
  /** How many were not sent, since what is shown began. */
  readonly skipped: number;
}

export const emptyTail: Tail = { rows: [], held: [], heldCount: 0, skipped: 0 };

/** Takes in what was sent. While it is paused only the states of what is seen change. */
export function takeIn(tail: Tail, { rows: sent, changed = [], skipped }: News, isPaused: boolean): Tail {
  const known = new Set([...tail.rows, ...tail.held].map(({ id }) => id));
  const fresh = sent.filter(({ id }) => !known.has(id));
  const rows = withStates(tail.rows, [...changed, ...sent]);
  const held = withStates(tail.held, [...changed, ...sent]);
  if (isPaused) {
    return {
      rows,
      held: newestFirst([...fresh, ...held]),
      heldCount: tail.heldCount + fresh.length + skipped,
      skipped: tail.skipped + skipped,
    };
  }
  return {
    rows: newestFirst([...fresh, ...held, ...rows]),
    held: [],
    heldCount: 0,
    skipped: tail.skipped + skipped,
  };
}

/** What was held comes to the rest. */
export const goOn = (tail: Tail): Tail => takeIn(tail, { rows: [], skipped: 0 }, false);

function withStates(rows: readonly EventSummary[], sent: readonly EventSummary[]): readonly EventSummary[] {
  const changed = new Map(sent.map(row => [row.id, row]));
  return rows.some(({ id }) => changed.has(id)) ? rows.map(row => changed.get(row.id) ?? row) : rows;
}

/** Ids sort by when they were made. */
const newestFirst = (rows: readonly EventSummary[]): readonly EventSummary[] =>
  [...rows].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, MOST_KEPT);
