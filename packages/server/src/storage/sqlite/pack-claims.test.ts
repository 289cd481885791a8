import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  pipelineEvents,
  storableText as text,
  storableTextOrNull as textOrNull,
} from '../../../test/support/json-values.ts';
import { tallies } from '../../core/event/outcome.ts';
import type { ClaimedEvent, PlannedRun, SettledRun, Settlement } from '../../core/stores/event-queue.ts';
import { keptOutput, keptTrace } from '../kept-run.ts';
import { packClaims, packSettlements, unpackClaims, unpackSettlements } from './pack-claims.ts';

const time = fc.nat({ max: 4_102_444_800_000 });

const planned: fc.Arbitrary<PlannedRun> = fc.record({
  pipelineId: text,
  version: fc.option(fc.nat()),
  retries: fc.nat(),
  dueAt: time,
});

const claimed: fc.Arbitrary<ClaimedEvent> = fc.record({
  orgId: text,
  event: pipelineEvents,
  payload: text,
  sourceId: textOrNull,
  jobId: textOrNull,
  plan: fc.option(fc.array(planned)),
  token: text,
  tries: fc.nat(),
});

const run: fc.Arbitrary<SettledRun> = fc.record({
  id: text,
  pipelineId: text,
  pipelineName: text,
  version: fc.nat(),
  sourceName: textOrNull,
  outcome: fc.constantFrom('routed', 'dropped', 'failed'),
  step: fc.option(fc.nat()),
  reason: textOrNull,
  trace: text,
  output: text,
  payload: text,
  notes: fc.array(fc.record({ destination: text, note: text })),
  claims: fc.array(fc.record({ scope: text, key: text, expiresAt: time, step: fc.nat() })),
  destinations: fc.array(text),
});

const wholeSettlement = fc.record({
  orgId: text,
  eventId: text,
  jobId: textOrNull,
  token: text,
  runs: fc.array(run, { maxLength: 3 }),
  round: fc.constantFrom('first', 'later'),
  parked: fc.array(planned, { maxLength: 2 }),
  matchedSources: fc.option(fc.array(fc.record({ id: text, name: text }))),
  tallies: fc.array(
    fc.record({
      pipelineId: text,
      version: fc.nat(),
      step: fc.nat(),
      tally: fc.constantFrom(...tallies),
      count: fc.nat(),
    }),
    {
      maxLength: 2,
    },
  ),
  retryOf: fc.array(text),
  isBornClaimed: fc.constant(true as const),
  claimedDeliveries: fc.record({
    token: fc.constantFrom('node 1', 'node 2'),
    claims: fc.array(fc.constantFrom('0 dst_a', '1 dst_b', '2 dst_c'), { minLength: 1 }),
  }),
});

/** Most have none of these. */
const settlement: fc.Arbitrary<Settlement> = wholeSettlement.chain(
  ({ retryOf, isBornClaimed, claimedDeliveries, ...rest }) =>
    fc.constantFrom<Settlement>(
      rest,
      { ...rest, retryOf },
      { ...rest, isBornClaimed },
      { ...rest, isBornClaimed, claimedDeliveries },
    ),
);

test('claims come across as they were', () => {
  fc.assert(
    fc.property(fc.array(claimed), text, (events, after) => {
      expect(unpackClaims(packClaims({ events, after }))).toEqual({ events, after });
    }),
  );
});

test('settlements come across with what is kept of their runs', () => {
  fc.assert(
    fc.property(fc.array(settlement), settlements => {
      const kept = settlements.map(settlement => ({
        ...settlement,
        runs: settlement.runs.map(one => ({
          ...one,
          trace: keptTrace(one),
          output: keptOutput(one),
          payload: '',
        })),
      }));
      expect(unpackSettlements(packSettlements(settlements))).toEqual(kept);
    }),
  );
});
