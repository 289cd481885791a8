import { expect, test } from 'bun:test';
import { readTrace, writeTrace } from '../../pipeline/thread/trace.ts';
import { type JsonObject, parseJson } from '../json/json.ts';
import { tombstonesOf } from './erasure.ts';

test('a trace that was erased reads as a trace: its steps, and nothing of what they saw', () => {
  const state = { payload: { name: 'Ada' }, labels: { mood: 'Ada' }, size: 50 };
  const trace = writeTrace({
    steps: [
      { kind: 'transform', outcome: 'changed', durationMs: 1.5, before: 0, after: 1, note: 'Ada' },
      { kind: 'filter.match', outcome: 'dropped', durationMs: 0.5, before: 1, after: 1, note: null },
    ],
    states: [state],
  });
  const tombstones = tombstonesOf(Date.UTC(2026, 0, 31, 12));
  const erased = tombstones.trace(trace);
  expect(erased).not.toContain('Ada');
  const payload = parseJson(tombstones.payload) as JsonObject;
  const read = readTrace(erased, payload);
  expect(read.steps.map(({ kind, outcome, duration_ms }) => [kind, outcome, duration_ms])).toEqual([
    ['transform', 'changed', 1.5],
    ['filter.match', 'dropped', 0.5],
  ]);
  for (const { before, after, note } of read.steps) {
    expect([before?.payload, after?.payload]).toEqual([payload, payload]);
    expect(note).toBe('Erased on request at 2026-01-31T12:00:00.000Z.');
  }
});
