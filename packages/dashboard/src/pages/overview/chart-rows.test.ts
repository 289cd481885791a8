import { expect, test } from 'bun:test';
import { chartRows } from './chart-rows.ts';

test('every step is a row with its time, and what was lost is added up', () => {
  const series = { received: [5, 7], delivered: [4, 0], failed: [1, 2], dead: [0, 3], dropped: [0, 1] };
  const rows = chartRows({ from: '2026-05-01T12:00:00.000Z', step_s: 900, series }, '24h');
  expect(rows.map(({ at }) => at).every(at => /^\d\d:\d\d$/.test(at))).toBe(true);
  expect(rows[1]).toMatchObject({ received: 7, delivered: 0, dropped: 1, lost: 5 });
  const [longer] = chartRows({ from: '2026-05-01T12:00:00.000Z', step_s: 7_200, series }, '7d');
  expect(longer?.at).toMatch(/^Fri \d+, \d\d:\d\d$|^Fri,? \d+/);
});
