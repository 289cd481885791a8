import { describe, expect, test } from 'bun:test';
import { runPipeline } from '../../../test/support/step.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { compilePipeline } from '../definitions/compile.ts';
import { LARGEST_TRACE, readTrace, withTries, writeTrace } from './trace.ts';

const traceOf = async (steps: Parameters<typeof compilePipeline>[0], payload: JsonObject) => {
  const { trace } = await runPipeline(compilePipeline(steps), payload);
  const text = writeTrace(trace);
  return { text, ...readTrace(text, payload) };
};

const set = (key: string, value: JsonObject[string]) => ({
  kind: 'transform',
  config: { set: { [key]: value } },
});

describe('a trace', () => {
  test('shows the event before and after each step, and what it did', async () => {
    const { steps, cutAt } = await traceOf(
      [
        set('b', 9007199254740993n),
        { kind: 'filter.match', config: { condition: 'payload.a == 1' } },
        { kind: 'redact.pii', config: {} },
        { kind: 'filter.match', config: { condition: 'payload.c == 1' } },
      ],
      { a: 1, mail: 'ada@example.com' },
    );
    const first = { payload: { a: 1, mail: 'ada@example.com' }, labels: {} };
    const second = { payload: { ...first.payload, b: 9007199254740993n }, labels: {} };
    const third = { payload: { ...second.payload, mail: '[email]' }, labels: {} };
    const duration_ms = expect.any(Number);
    expect(steps).toEqual([
      { kind: 'transform', outcome: 'changed', duration_ms, before: first, after: second, note: null },
      { kind: 'filter.match', outcome: 'kept', duration_ms, before: second, after: second, note: null },
      { kind: 'redact.pii', outcome: 'changed', duration_ms, before: second, after: third, note: null },
      {
        kind: 'filter.match',
        outcome: 'dropped',
        duration_ms,
        before: third,
        after: third,
        note: 'payload.c is absent',
      },
    ]);
    expect(cutAt).toBeNull();
  });

  test('is at most 64 KiB and says where it was cut', async () => {
    const { text, steps, cutAt } = await traceOf(
      [
        set('a', 'ä'.repeat(10_000)),
        set('b', 'ö'.repeat(20_000)),
        set('c', 1),
        { kind: 'dedupe', config: {} },
      ],
      { small: true },
    );
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LARGEST_TRACE);
    expect(cutAt).toBe(1);
    expect(steps.map(({ before, after }) => [before !== null, after !== null])).toEqual([
      [true, true],
      [true, false],
      [false, false],
      [false, false],
    ]);
  });

  test('is small however much its steps have to say', () => {
    const step = { kind: 'filter.match', outcome: 'kept', durationMs: 123.456, before: 0, after: 0 } as const;
    const steps = Array(50).fill({ ...step, note: '\u0001'.repeat(5_000) });
    const text = writeTrace({ steps, states: [] });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LARGEST_TRACE);
    expect(readTrace(text, {}).steps[0]?.note).toEndWith('…');
  });

  test('tells the tries that led to its end; of their answers the latest, as far as there is room', async () => {
    const { text } = await traceOf([set('b', 1)], { a: 1 });
    const said = (letter: string) => ({ status: 500, body: letter.repeat(10_000) });
    const tries = ['a', 'b', 'c'].map((letter, n) => ({ at: n, reason: 'No.', said: said(letter) }));
    const read = readTrace(withTries(text, tries), { a: 1 });
    expect(read.steps).toHaveLength(1);
    expect(read.tries).toEqual([
      { at: 0, reason: 'No.', said: { status: 500, body: null } },
      ...tries.slice(1),
    ]);
    expect(withTries(text, [])).toBe(text);
    expect(readTrace(text, { a: 1 }).tries).toEqual([]);
  });

  test('is at most 64 KiB with its tries too: the latest states give way to them', async () => {
    const { text } = await traceOf([set('a', 'x'.repeat(30_000)), set('b', 9007199254740993n)], { a: 1 });
    const tries = Array.from({ length: 21 }, (_, at) => ({
      at,
      reason: 'The model’s answer is not one of the labels.',
      said: { status: 200, body: '€\u0001'.repeat(2_048) },
    }));
    const written = withTries(text, tries);
    expect(Buffer.byteLength(written)).toBeLessThanOrEqual(LARGEST_TRACE);
    const { steps, cutAt, tries: told } = readTrace(written, { a: 1 });
    expect(cutAt).toBe(1);
    expect(steps.map(({ before, after }) => [before !== null, after !== null])).toEqual([
      [true, true],
      [true, false],
    ]);
    expect(told).toHaveLength(21);
    expect(told.at(-1)).toEqual(tries.at(-1));
  });

  test('does not write the event again', async () => {
    const { text } = await traceOf([{ kind: 'dedupe', config: {} }], { secret: 'x'.repeat(1_000) });
    expect(text).not.toContain('secret');
  });
});
