import { expect, test } from 'bun:test';
import { carriedOn, deliveredPercents, hasLonePoint, latencyRows, throughputRows } from './chart-rows.ts';

const from = '2026-05-01T12:00:00.000Z';

test('every step is a row with its time, and what has no state yet waits', () => {
  const series = { received: [5, 7], processed: [4, 3], failed: [1, 2], dropped: [0, 1], delivered: [4, 0] };
  const open = { counts: [0, 6], more: false };
  const rows = throughputRows({ from, step_s: 900, series, open });
  expect(rows.map(({ at }) => at).every(at => /^\d\d:\d\d$/.test(at))).toBe(true);
  expect(rows[1]).toMatchObject({
    processed: 3,
    dropped: 1,
    failed: 2,
    waiting: 1,
    delivered: 0,
    open: 6,
    dead: 0,
  });
  expect(rows[0]?.waiting).toBe(0);
  const [longer] = throughputRows({ from, step_s: 72_000, series, open });
  expect(longer?.at).toMatch(/^Fri \d+, \d\d:\d\d$|^Fri,? \d+/);
});

test('the share that has arrived is of what was made in the same step, and stays where nothing was made', () => {
  const series = { delivered: [0, 3, 0, 0, 2], dead: [0, 1, 0, 1, 0] };
  const open = { counts: [0, 0, 0, 1, 0], more: false };
  expect(deliveredPercents({ series, open })).toEqual([75, 75, 75, 0, 100]);
  const none = { counts: [0, 0], more: false };
  expect(deliveredPercents({ series: { delivered: [0, 0] }, open: none })).toEqual([0, 0]);
});

test('a line of figures goes on where there is none', () => {
  expect(carriedOn([null, 20, null, 0, null])).toEqual([20, 20, 20, 0, 0]);
  expect(carriedOn([null, null])).toEqual([0, 0]);
});

test('where nothing was delivered there is no latency', () => {
  const series = { p50: [10, null], p95: [20, null], p99: [30, null] };
  const rows = latencyRows({ from, step_s: 60, series, p50_ms: 10, p95_ms: 20, p99_ms: 30 });
  expect(rows.map(({ p50, p95, p99 }) => [p50, p95, p99])).toEqual([
    [10, 20, 30],
    [null, null, null],
  ]);
});

test('a figure between two steps without one is a point that no line shows', () => {
  expect([[null, 5, null], [5, null], [5], [1, 2, null, 4]].map(hasLonePoint)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([[], [null, null], [1, 2], [null, 1, 2, null]].map(hasLonePoint)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
