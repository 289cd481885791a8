import { expect, test } from 'bun:test';
import type { EventSummary } from '@sluice/contract/dashboard-events';
import { emptyTail, goOn, MOST_KEPT, takeIn } from './tail.ts';

const row = (n: number, state: EventSummary['state'] = 'accepted'): EventSummary => ({
  id: `evt_${String(n).padStart(6, '0')}`,
  type: 'x',
  icon: null,
  state,
  outcome: 'accepted',
  delivery_states: {},
  sources: [],
  entity: null,
  timestamp: '',
  received_at: '',
});
const rows = (first: number, count: number) => Array.from({ length: count }, (_, n) => row(first + n));
const idsOf = (list: readonly EventSummary[]) => list.map(({ id }) => Number(id.slice(4)));

test('what comes stands on top, once, whatever the order it was sent in', () => {
  const first = takeIn(emptyTail, { rows: [row(2), row(3)], skipped: 0 }, false);
  const then = takeIn(first, { rows: [row(1), row(3, 'processed'), row(4)], skipped: 5 }, false);
  expect(idsOf(then.rows)).toEqual([4, 3, 2, 1]);
  expect(then.rows[1]?.state).toBe('processed');
  expect(then.skipped).toBe(5);
});

test('while it is paused nothing moves but states, and what came meanwhile is counted', () => {
  const seen = takeIn(emptyTail, { rows: [row(1)], skipped: 0 }, false);
  const paused = takeIn(seen, { rows: [row(1, 'failed'), row(2)], skipped: 3 }, true);
  const longer = takeIn(paused, { rows: [row(2, 'dropped'), row(3)], skipped: 0 }, true);
  expect(longer.rows).toEqual([row(1, 'failed')]);
  expect(longer.heldCount).toBe(5);
  const after = goOn(longer);
  expect(after.rows).toEqual([row(3), row(2, 'dropped'), row(1, 'failed')]);
  expect([after.held, after.heldCount]).toEqual([[], 0]);
});

test('no more than so many are kept, paused or not', () => {
  const full = takeIn(emptyTail, { rows: rows(0, MOST_KEPT + 50), skipped: 0 }, false);
  expect(full.rows).toHaveLength(MOST_KEPT);
  expect(idsOf(full.rows)[0]).toBe(MOST_KEPT + 49);
  const held = takeIn(full, { rows: rows(5_000, MOST_KEPT + 50), skipped: 0 }, true);
  expect([held.held.length, held.heldCount]).toEqual([MOST_KEPT, MOST_KEPT + 50]);
  expect(goOn(held).rows).toHaveLength(MOST_KEPT);
});

test('what has changed long after it came is taken in where it is shown, and not added', () => {
  const seen = takeIn(emptyTail, { rows: [row(2), row(3)], skipped: 0 }, false);
  const then = takeIn(
    seen,
    { rows: [], changed: [row(1, 'processed'), row(2, 'processed')], skipped: 0 },
    false,
  );
  expect(then.rows.map(({ id, state }) => [id.slice(-1), state])).toEqual([
    ['3', 'accepted'],
    ['2', 'processed'],
  ]);
});
