import { expect, test } from 'bun:test';
import type { AttemptResult } from '../../core/http/attempt.ts';
import type { Claim } from './claim.ts';
import { toRecord } from './record.ts';

const claim = {
  delivery: { orgId: 'org_1', id: 'dlv_1', attempt: 0 },
  token: 'run_1',
} as unknown as Claim;

test('what a receiver says is kept without what no database takes, and of any kind 16 KiB at the most', () => {
  const hostile = `\0\uD800${'x'.repeat(500_000)}`;
  const result: AttemptResult = {
    outcome: 'failed',
    code: 'rejected_by_destination',
    message: hostile,
    retryAfterMs: null,
    request: { target: 'SMTP', headers: {}, body: 'sent' },
    status: 550,
    response: hostile,
    durationMs: 1.5,
  };
  const decision = { kind: 'dead', code: 'rejected_by_destination', message: '' } as const;
  const { attempt } = toRecord(claim, result, decision, 7);
  for (const text of [attempt.message, attempt.response]) {
    expect(text).toHaveLength(16 * 1024);
    expect(text).toStartWith('\uFFFD\uFFFDxxx');
  }
});
