import { expect, test } from 'bun:test';
import { threadMs } from '../../core/expressions/cel/budget.ts';
import { parseJson, stringifyJson } from '../../core/json/json.ts';
import { readOutput } from './output.ts';

test('a payload without labels is handed on as it is stored', () => {
  const payload = '{"id": 9007199254740993, "rate": 1.0, "inner":{"labels":{}}}';
  expect(readOutput(`{"payload":${payload},"labels":{}}`)).toEqual({ payload, labels: {} });
});

test('labels are told from what looks like them in a payload', () => {
  const output = '{"payload":{"a":1,"labels":{}},"labels":{"severity":"high"}}';
  expect(readOutput(output)).toEqual({ payload: '{"a":1,"labels":{}}', labels: { severity: 'high' } });
  expect(readOutput('{"payload":{},"labels":{"labels":{}}}')).toEqual({
    payload: '{}',
    labels: { labels: {} },
  });
  expect(readOutput('{"payload":{},"labels":{"a":1,"labels":{}}}').payload).toBe('{}');
});

test('integers beyond 2^53 survive beside labels', () => {
  const output = '{"payload":{"id":9007199254740993},"labels":{"a":"b"}}';
  expect(readOutput(output).payload).toBe('{"id":9007199254740993}');
});

test('labels are read alone, so that the largest payload costs nothing', () => {
  const payload = JSON.stringify({ n: Array.from({ length: 400_000 }, (_, i) => i % 10) });
  const output = `{"payload":${payload},"labels":{"severity":"{high}","note":",\\"labels\\":{ b"}}`;
  const timesMs = (times: number, work: () => unknown) => {
    const began = threadMs();
    for (let i = 0; i < times; i++) work();
    return threadMs() - began;
  };
  const wholeMs = timesMs(3, () => stringifyJson(parseJson(output))) / 3;
  // Two hundred times as long, if all of it were read and written.
  expect(timesMs(200, () => readOutput(output))).toBeLessThan(20 * wholeMs);
  expect(readOutput(output).labels).toEqual({ severity: '{high}', note: ',"labels":{ b' });
});
