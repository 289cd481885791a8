import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  pipelineEvents,
  storableText as text,
  storableTextOrNull as textOrNull,
} from '../../../test/support/json-values.ts';
import { tallies } from '../../core/event/outcome.ts';
import { packReports, packRuns, unpackReports, unpackRuns } from './pack.ts';
import type { PostedRun, ThreadReport } from './protocol.ts';

const run: fc.Arbitrary<PostedRun> = fc.record(
  {
    n: fc.nat(),
    pipelineName: text,
    orgId: text,
    event: pipelineEvents,
    payload: text,
    sourceName: textOrNull,
    retries: fc.nat(),
    dryRun: fc.record({
      mayAskModel: fc.boolean(),
      labels: fc.constantFrom<Record<string, string>[]>({}, { severity: 'high' }),
    }),
  },
  { requiredKeys: ['n', 'pipelineName', 'orgId', 'event', 'payload', 'sourceName', 'retries'] },
);

const counted = {
  tallies: fc.array(fc.record({ tally: fc.constantFrom(...tallies), step: fc.nat() }), { maxLength: 3 }),
  busyMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
};

const report: fc.Arbitrary<ThreadReport> = fc.oneof(
  fc.record({
    kind: fc.constant('settled' as const),
    outcome: fc.constant('failed' as const),
    step: fc.nat(),
    reason: text,
    trace: text,
    output: text,
    notes: fc.constant([]),
    claims: fc.constant([]),
    destinations: fc.constant([]),
    said: fc.record({ status: fc.constant(503), body: text }),
    durations: text,
    ...counted,
  }),
  fc.record({
    kind: fc.constant('settled' as const),
    outcome: fc.constantFrom('routed' as const, 'dropped' as const, 'failed' as const),
    step: fc.option(fc.nat()),
    reason: textOrNull,
    trace: text,
    output: text,
    notes: fc.array(fc.record({ destination: text, note: text }), { maxLength: 2 }),
    claims: fc.array(fc.record({ scope: text, key: text, expiresAt: fc.nat(), step: fc.nat() }), {
      maxLength: 2,
    }),
    destinations: fc.array(text, { maxLength: 2 }),
    durations: text,
    ...counted,
  }),
  fc.record({
    kind: fc.constant('retry' as const),
    afterMs: fc.nat(),
    step: fc.nat(),
    reason: text,
    said: fc.constantFrom(null, { status: 503, body: 'no' }),
    trace: text,
    ...counted,
  }),
  fc.record({ kind: fc.constant('unavailable' as const), ...counted }),
  fc.constant({ kind: 'handed_back' as const }),
);

test('runs come across as they were', () => {
  fc.assert(fc.property(fc.array(run), runs => expect(unpackRuns(packRuns(runs))).toEqual(runs)));
});

test('reports come across as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), report)), reports => {
      expect(unpackReports(packReports(reports))).toEqual(reports);
    }),
  );
});
