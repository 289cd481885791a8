import { describe, expect, test } from 'bun:test';
import { aRun } from '../../test/contract/storage/pipeline-samples.ts';
import { outputOf } from '../core/event/output.ts';
import { fullTrace, keptOutput, keptTrace } from './kept-run.ts';

const steps = '{"steps":[["transform","changed",0.1,0,1,null]],"states":[';
const output = '{"payload":{"n":1},"labels":{}}';

describe('a trace', () => {
  const roundTrip = (trace: string, of = output, deliveries = 1) => {
    const run = aRun({ trace, output: of });
    const kept = { trace: keptTrace(run, deliveries), output: keptOutput(run, deliveries) };
    return { kept: kept.trace, read: fullTrace(kept) };
  };

  test('whose last state is the output refers to it, and is read as it was', () => {
    for (const before of ['', '{"payload":{},"labels":{}},', 'null,']) {
      const trace = `${steps}${before}${output}]}`;
      expect(roundTrip(trace)).toEqual({ kept: `${steps}${before}"="]}`, read: trace });
    }
  });

  test('that ends otherwise, or whose output is not kept, is kept whole', () => {
    for (const trace of [`${steps}]}`, `${steps}null]}`, `${steps}{"payload":{"n":2},"labels":{}}]}`])
      expect(roundTrip(trace)).toEqual({ kept: trace, read: trace });
    const trace = `${steps}${output}]}`;
    expect(roundTrip(trace, output, 0)).toEqual({ kept: trace, read: trace });
    expect(roundTrip(trace, '')).toEqual({ kept: trace, read: trace });
  });
});

test('an output that is the event as it came is not kept again', () => {
  const unchanged = aRun({ output: outputOf('{"n":1}'), isUnchanged: true });
  expect([keptOutput(unchanged, 1), keptOutput(unchanged, 0)]).toEqual(['=', '']);
  expect(keptOutput(aRun({ output }), 1)).toBe(output);
});
