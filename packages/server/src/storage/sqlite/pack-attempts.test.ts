import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { storableText as text, storableTextOrNull as textOrNull } from '../../../test/support/json-values.ts';
import type { EndedAttempt } from '../../core/stores/delivery-queue.ts';
import { packAttempts, unpackAttempts } from './pack-attempts.ts';

const time = fc.nat({ max: 4_102_444_800_000 });

const next = fc.oneof(
  fc.constant<EndedAttempt['next']>({ state: 'delivered' }),
  fc.constant<EndedAttempt['next']>({ state: 'delivered', lateAt: 'dst_1' }),
  time.map((dueAt): EndedAttempt['next'] => ({ state: 'retrying', dueAt })),
  time.map((dueAt): EndedAttempt['next'] => ({ state: 'retrying', dueAt, isUnspent: true })),
  fc.constant<EndedAttempt['next']>({ state: 'dead', code: 'timeout' }),
);

const record: fc.Arbitrary<EndedAttempt> = fc.record({
  orgId: text,
  deliveryId: text,
  token: text,
  attempt: fc.record(
    {
      n: fc.nat(),
      at: time,
      durationMs: fc.nat(),
      status: fc.option(fc.nat({ max: 999 })),
      code: textOrNull,
      message: textOrNull,
      request: text,
      response: text,
      exchange: text,
    },
    { requiredKeys: ['n', 'at', 'durationMs', 'status', 'code', 'message', 'request', 'response'] },
  ),
  next,
});

test('attempts come across as they were', () => {
  fc.assert(
    fc.property(fc.array(record), records => {
      expect(unpackAttempts(packAttempts(records))).toEqual(records);
    }),
  );
});
