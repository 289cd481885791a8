import { expect, test } from 'bun:test';
import { showTraces } from './traces.ts';

const payload = { text: 'x'.repeat(60_000) };
const state = { payload, labels: {} };
const step = { kind: 'filter.match', outcome: 'kept', duration_ms: 1, note: null } as const;
const trace = {
  steps: Array.from({ length: 50 }, () => ({ ...step, before: state, after: state })),
  cutAt: null,
  tries: [],
};
const runs = (count: number) => Array.from({ length: count }, (_, n) => ({ trace: String(n) }));
const show = (count: number) => showTraces(runs(count), JSON.stringify(payload), () => trace);

test('an event that went through once is shown whole', () => {
  expect(show(1)).toEqual([trace]);
});

test('of an event that was replayed over and over the newest runs are shown whole, and no answer grows without end', () => {
  const shown = show(100);
  expect(shown).toHaveLength(100);
  expect(shown.at(-1)).toEqual(trace);
  expect(shown[0]?.cutAt).toBe(0);
  expect(shown[0]?.steps[49]).toMatchObject({ kind: 'filter.match', before: null, after: null });
  expect(JSON.stringify(shown).length).toBeLessThan(20 * 1024 * 1024);
});
