import { expect, test } from 'bun:test';
import { aRun } from '../../test/contract/storage/pipeline-samples.ts';
import { outputOf } from '../core/event/output.ts';
import {
  fullOutput,
  fullTrace,
  isKeptTogether,
  keptOutput,
  keptTrace,
  LONGEST_TOGETHER,
} from './kept-run.ts';

const payload = '{"id":"ord_1","customer":{"name":"Ada Lovelace","email":"ada@example.com"}}';
const output = outputOf(payload.replace('ada@example.com', '[email]'));
const trace = `{"steps":[["transform","changed",0.1,0,1,null]],"states":[${outputOf(payload)},${output}]}`;
const destinations = ['dst_1'];

test('an output and a trace are kept without what they repeat, and read as they were', () => {
  const run = aRun({ payload, output, trace, destinations });
  const kept = { output: keptOutput(run), trace: keptTrace(run) };
  expect(kept.output.length).toBeLessThan(output.length / 2);
  expect(kept.trace.length).toBeLessThan(trace.length / 2);
  expect(fullOutput(kept.output, payload)).toBe(output);
  expect(fullTrace(kept, payload)).toBe(trace);
});

test('an output that is the event as it came is not kept again', () => {
  const kept = keptOutput(aRun({ payload, output: outputOf(payload), destinations }));
  expect(kept.length).toBeLessThan(8);
  expect(fullOutput(kept, payload)).toBe(outputOf(payload));
});

test('where nobody is sent the output it is not kept, and the trace is kept whole', () => {
  const run = aRun({ payload, output, trace });
  expect([keptOutput(run), keptTrace(run)]).toEqual(['', trace]);
  expect(fullTrace({ output: '', trace }, payload)).toBe(trace);
});

test('a run is kept with its delivery where that is its only one, and it has nothing else to say', () => {
  const run = aRun();
  const plain = { run, notes: [], deliveries: 1, output: '{}', trace: '{}' };
  expect(isKeptTogether(plain)).toBe(true);
  for (const other of [
    { deliveries: 0 },
    { deliveries: 2 },
    { notes: [{ destination: 'dst_2', note: 'The destination is gone.' }] },
    { run: { ...run, outcome: 'failed' as const } },
    { run: { ...run, reason: 'why' } },
    { run: { ...run, step: 1 } },
    { output: ' '.repeat(LONGEST_TOGETHER) },
  ])
    expect(isKeptTogether({ ...plain, ...other })).toBe(false);
});
