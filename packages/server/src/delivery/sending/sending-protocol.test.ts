import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { sampleDelivery } from '../../../test/support/delivery.ts';
import type { AttemptResult } from '../../core/http/attempt.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { TextWriter } from '../../core/threads/packed-text.ts';
import { packOutcome, packSend, type SendOutcome, unpackOutcomes, unpackSends } from './sending-protocol.ts';

const text = fc.string({ unit: 'binary' }).map(value => value.replaceAll('\0', ''));
const count = fc.nat();

test('deliveries arrive at the thread as they were handed over, in their order', () => {
  const deliveries = fc.record({
    payload: fc.jsonValue().map(value => JSON.stringify({ value })),
    labels: fc.dictionary(text, text) as fc.Arbitrary<JsonObject>,
    traits: fc.option(fc.dictionary(text, text) as fc.Arbitrary<JsonObject>),
    sourceName: fc.option(text),
    link: fc.option(text),
    attempt: count,
    timeoutMs: count,
  });
  fc.assert(
    fc.property(fc.array(deliveries), given => {
      const calls = given.map((over, call) => {
        const { isStillWanted: _, ...delivery } = sampleDelivery(over);
        return { call, destination: call % 3, delivery };
      });
      const writer = new TextWriter();
      for (const call of calls) packSend(writer, call);
      expect([...unpackSends(writer.end())]).toEqual(calls);
    }),
  );
});

test('results come back as they were, in their order', () => {
  const facts = {
    request: fc.record({ target: text, headers: fc.dictionary(text, text), body: text }),
    status: fc.option(count),
    response: fc.option(text),
    durationMs: count,
  };
  const exchange = fc.record({ headers: fc.dictionary(text, text), phases: fc.constant({ dns_ms: 0.5 }) });
  const results: fc.Arbitrary<AttemptResult> = fc.oneof(
    fc.record({ outcome: fc.constant('delivered' as const), ...facts }),
    fc.record({ outcome: fc.constant('delivered' as const), ...facts, exchange }),
    fc.record({
      outcome: fc.constant('failed' as const),
      ...facts,
      code: fc.constantFrom('timeout' as const, 'bad_status' as const),
      message: text,
      retryAfterMs: fc.option(count),
      exchange,
    }),
    fc.record({
      outcome: fc.constant('failed' as const),
      ...facts,
      code: fc.constant('too_large' as const),
      message: text,
      retryAfterMs: fc.constant(null),
      isFinal: fc.constant(true as const),
    }),
  );
  const outcomes: fc.Arbitrary<SendOutcome> = fc.oneof(
    results.map(result => ({ kind: 'result' as const, result })),
    fc.constant({ kind: 'unwanted' as const }),
    text.map(message => ({ kind: 'defect' as const, message })),
  );
  fc.assert(
    fc.property(fc.array(outcomes), given => {
      const writer = new TextWriter();
      for (const [call, outcome] of given.entries()) packOutcome(writer, call, outcome);
      expect([...unpackOutcomes(writer.end())]).toEqual(given.map((outcome, call) => ({ call, outcome })));
    }),
  );
});
