import { expect, test } from 'bun:test';
import { SendingInterrupted } from '../../core/http/outgoing.ts';
import type { ClaimedDelivery } from '../../core/stores/delivery-queue.ts';
import { resultOfError } from './failed-result.ts';

const delivery = { destinationId: 'dst_1' } as ClaimedDelivery;

test('what ends with the thread that was sending it spends no attempt, and blames no receiver', () => {
  expect(
    resultOfError(new SendingInterrupted('A thread that sends stopped responding.'), delivery),
  ).toMatchObject({
    outcome: 'failed',
    code: 'connection_reset',
    isUnspent: true,
  });
});

test('a defect of a kind is a failed attempt of that delivery', () => {
  const result = resultOfError(new Error('a defect'), delivery);
  expect(result).toMatchObject({ outcome: 'failed', code: 'rejected_by_destination' });
  expect(result).not.toHaveProperty('isUnspent');
});
