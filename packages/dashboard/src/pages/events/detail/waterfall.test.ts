import { expect, test } from 'bun:test';
import type { EventRecord } from '@sluice/contract/dashboard-letters';
import { timeAxisOf } from './time-axis.ts';
import { formatMs, waterfallOf } from './waterfall.ts';

const at = (ms: number) => new Date(Date.parse('2026-01-31T12:00:00.000Z') + ms).toISOString();
const step = (kind: string, duration_ms: number, note: string | null = null) => ({ kind, duration_ms, note });
const run = (given: object) => ({
  id: 'run_1',
  pipeline: { id: 'pipe_1', name: 'Orders', version: 1 },
  outcome: 'routed',
  step: null,
  steps: [step('transform', 2), step('classify', 38)],
  tries: [],
  replay: null,
  at: at(50),
  ...given,
});
const attempt = (n: number, ms: number, duration_ms: number, status: number) => ({
  n,
  at: at(ms),
  duration_ms,
  status,
  code: status === 200 ? null : 'bad_status',
});
const delivery = (given: object) => ({
  id: 'dlv_1',
  run_id: 'run_1',
  destination: { id: 'dst_1', name: 'CRM', kind: 'webhook' },
  state: 'delivered',
  attempt: 2,
  attempts: [attempt(1, 60, 100, 503), attempt(2, 5_160, 40, 200)],
  created_at: at(50),
  next_attempt_at: null,
  ...given,
});
const lines = (given: object) =>
  waterfallOf(
    {
      received_at: at(0),
      sources: [{ id: 'src_1', name: 'Shop' }],
      runs: [run({})],
      deliveries: [delivery({})],
      waiting: null,
      ...given,
    } as unknown as EventRecord,
    kind => kind.toUpperCase(),
  );
const briefly = (given: object) =>
  lines(given).map(({ what, from, took, waited, outcome }) => [what, from, took, waited, outcome]);

test('the way is told line by line: accepted, the run and its steps, each attempt with what it waited', () => {
  expect(briefly({})).toEqual([
    ['Accepted', 0, null, null, 'good'],
    ['Orders', 10, 40, 10, 'good'],
    ['1. TRANSFORM', 10, 2, null, 'good'],
    ['2. CLASSIFY', 12, 38, null, 'good'],
    ['→ CRM, attempt 1', 60, 100, 10, 'bad'],
    ['→ CRM, attempt 2', 5_160, 40, 5_000, 'good'],
  ]);
});

test('what is still to come stands at its end: the next attempt, and what was never tried', () => {
  const retrying = delivery({ state: 'retrying', attempt: 1, attempts: [attempt(1, 60, 100, 503)] });
  expect(briefly({ deliveries: [{ ...retrying, next_attempt_at: at(1_160) }] }).at(-1)).toEqual([
    '→ CRM: next attempt',
    1_160,
    null,
    1_000,
    'open',
  ]);
  const waiting = delivery({ state: 'pending', attempt: 0, attempts: [], next_attempt_at: at(50) });
  expect(briefly({ deliveries: [waiting] }).at(-1)).toEqual(['→ CRM', 50, null, null, 'open']);
  const dead = delivery({ state: 'dead', attempt: 0, attempts: [] });
  expect(briefly({ deliveries: [dead] }).at(-1)).toEqual(['→ CRM', 50, null, null, 'bad']);
});

test('a step that was retried shows each try; where it failed for good the last is the run', () => {
  const tries = [
    { at: at(20), reason: 'Busy.', answer: null },
    { at: at(1_050), reason: 'Busy.', answer: null },
  ];
  const failed = run({ outcome: 'failed', step: 1, tries, at: at(1_050) });
  expect(briefly({ runs: [failed], deliveries: [] })).toEqual([
    ['Accepted', 0, null, null, 'good'],
    ['Orders: attempt 1', 20, null, 20, 'bad'],
    ['Orders', 1_010, 40, 990, 'bad'],
    ['1. TRANSFORM', 1_010, 2, null, 'good'],
    ['2. CLASSIFY', 1_012, 38, null, 'bad'],
  ]);
  const waiting = { runs: [{ pipeline: run({}).pipeline, tries, step: 1, until: at(2_050) }] };
  expect(briefly({ runs: [], deliveries: [], waiting }).slice(1)).toEqual([
    ['Orders, step 2: attempt 1', 20, null, 20, 'bad'],
    ['Orders, step 2: attempt 2', 1_050, null, 1_030, 'bad'],
    ['Orders: next attempt', 2_050, null, 1_000, 'open'],
  ]);
});

test('nobody has waited for a replay since the event came in, and no clock lets it begin before that', () => {
  const [, replayed] = briefly({ runs: [run({ replay: 'job_1', at: at(90_000) })], deliveries: [] });
  expect(replayed).toEqual(['Orders', 89_960, 40, null, 'good']);
  const [, early] = briefly({ runs: [run({ at: at(-5) })], deliveries: [] });
  expect(early).toEqual(['Orders', 0, 0, null, 'good']);
});

test('an axis leaves room for milliseconds beside an hour of waiting', () => {
  const axis = timeAxisOf([
    { from: 0, took: null },
    { from: 10, took: 40 },
    { from: 3_600_000, took: 50 },
  ]);
  expect(axis.folds).toHaveLength(1);
  expect(axis.at(0)).toBe(0);
  expect(axis.at(3_600_050)).toBe(100);
  const [fold] = axis.folds;
  expect(fold?.from).toBeCloseTo(axis.at(50), 5);
  expect(fold?.to).toBeCloseTo(axis.at(3_600_000), 5);
  expect(axis.at(50) - axis.at(10)).toBeGreaterThan(15);
  const straight = timeAxisOf([
    { from: 0, took: 50 },
    { from: 60, took: 40 },
  ]);
  expect([straight.folds, straight.at(25), Math.round(straight.at(55))]).toEqual([[], 25, 55]);
  expect(timeAxisOf([{ from: 0, took: null }]).at(0)).toBe(0);
});

test('milliseconds are told as such up to a minute', () => {
  expect([0.041, 7, 1_234, 59_999, 90_000, 7_200_000].map(formatMs)).toEqual([
    '0.04 ms',
    '7 ms',
    '1,234 ms',
    '59,999 ms',
    '1.5 min',
    '2 h',
  ]);
});
