import { expect, test } from 'bun:test';
import type { AttemptResult, Failed } from '../../core/http/attempt.ts';
import type { Claim } from './claim.ts';
import { toRecord, withoutTexts } from './record.ts';

const decision = { kind: 'dead', code: 'rejected_by_destination', message: '' } as const;
const claim = {
  delivery: { orgId: 'org_1', id: 'dlv_1', attempt: 0, event: { id: 'evt_1', type: 'x' }, output: '{}' },
  token: 'run_1',
} as unknown as Claim;

const refusal = (over: { message?: string; response?: string; status?: number }): Failed => ({
  outcome: 'failed',
  code: 'rejected_by_destination',
  message: 'It said no.',
  retryAfterMs: null,
  request: { target: 'SMTP', headers: {}, body: 'sent' },
  status: 550,
  response: 'no',
  durationMs: 1.5,
  ...over,
});

test('what a receiver says is kept without what no database takes, and of any kind 16 KiB at the most', () => {
  const hostile = `\0\uD800${'x'.repeat(500_000)}`;
  const { attempt } = toRecord(claim, refusal({ message: hostile, response: hostile }), decision, 7);
  for (const text of [attempt.message, attempt.response]) {
    expect(Buffer.byteLength(text ?? '')).toBe(16 * 1024);
    expect(text).toStartWith('\uFFFD\uFFFDxxx');
  }
});

test('an exchange is kept where there is one, also of what arrived', () => {
  const exchange = { headers: { 'retry-after': '5' }, phases: { first_byte_ms: 3 } };
  const failed = { ...refusal({}), exchange };
  expect(toRecord(claim, failed, decision, 7).attempt.exchange).toBe(JSON.stringify(exchange));
  const { code: _code, message: _message, retryAfterMs: _retryAfter, isFinal: _isFinal, ...facts } = failed;
  const delivered: AttemptResult = { ...facts, outcome: 'delivered' };
  const arrived = toRecord(claim, delivered, { kind: 'delivered' }, 7);
  expect(arrived.attempt.exchange).toBe(JSON.stringify(exchange));
  const { exchange: _exchange, ...fast } = delivered;
  expect(toRecord(claim, fast, { kind: 'delivered' }, 7).attempt).not.toHaveProperty('exchange');
  expect(withoutTexts(toRecord(claim, failed, decision, 7)).attempt).not.toHaveProperty('exchange');
});

test('characters of several bytes count as so many', () => {
  const { attempt } = toRecord(claim, refusal({ response: 'ÿ'.repeat(16_000) }), decision, 7);
  expect(Buffer.byteLength(attempt.response)).toBeLessThanOrEqual(16 * 1024);
  expect(attempt.response).toBe(`${'ÿ'.repeat(8_190)}…`);
});

test.each([1e20, -1, 1_000, 2.5, Number.NaN])('a status of %d, which no column takes, is none', status => {
  expect(toRecord(claim, refusal({ status }), decision, 7).attempt.status).toBeNull();
});
