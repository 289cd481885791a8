import type { AttemptResult } from '../../core/http/attempt.ts';
import type { EndedAttempt } from '../../core/stores/delivery-queue.ts';
import type { Decision } from '../decide/decide.ts';
import type { Claim } from './claim.ts';

/** An attempt as it is kept, with what becomes of its delivery. */
export const toRecord = (
  { delivery, token }: Claim,
  result: AttemptResult,
  decision: Decision,
  startedAt: number,
): EndedAttempt => ({
  orgId: delivery.orgId,
  deliveryId: delivery.id,
  token,
  attempt: {
    n: delivery.attempt + 1,
    at: startedAt,
    durationMs: Math.round(result.durationMs),
    status: result.status,
    code: result.outcome === 'delivered' ? null : result.code,
    message: result.outcome === 'delivered' ? null : result.message,
    request: JSON.stringify(result.request),
    response: result.response ?? '',
  },
  next: nextOf(decision),
});

function nextOf(decision: Decision): EndedAttempt['next'] {
  switch (decision.kind) {
    case 'delivered':
      return { state: 'delivered' };
    case 'retry':
      return { state: 'retrying', dueAt: decision.at };
    case 'dead':
      return { state: 'dead', code: decision.code };
  }
}
