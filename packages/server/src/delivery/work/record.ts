import type { AttemptResult, RequestSummary } from '../../core/http/attempt.ts';
import { KEPT_RESPONSE_BYTES } from '../../core/http/outgoing.ts';
import type { EndedAttempt } from '../../core/stores/delivery-queue.ts';
import type { Decision } from '../decide/decide.ts';
import { keptText } from '../rendering/text.ts';
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
    status: keptStatus(result.status),
    code: result.outcome === 'delivered' ? null : result.code,
    message: result.outcome === 'delivered' ? null : kept(result.message),
    request: JSON.stringify(result.request),
    response: kept(result.response ?? ''),
    ...(result.exchange ? { exchange: JSON.stringify(result.exchange) } : {}),
  },
  repeats: { eventId: delivery.event.id, eventType: delivery.event.type, output: delivery.output },
  next: nextOf(decision),
});

/** What others answer may hold anything, and be of any length. */
const kept = (text: string): string => keptText(text, KEPT_RESPONSE_BYTES);

/** No protocol has longer ones; a number that a column does not take would lose the attempt. */
const keptStatus = (status: number | null): number | null =>
  status !== null && Number.isInteger(status) && status >= 0 && status <= 999 ? status : null;

/** The same attempt where its texts are what storage cannot take. */
export const withoutTexts = ({
  attempt: { exchange: _, ...attempt },
  ...record
}: EndedAttempt): EndedAttempt => ({
  ...record,
  attempt: {
    ...attempt,
    message: attempt.message === null ? null : 'The result could not be stored as it was.',
    request: JSON.stringify({ target: '', headers: {}, body: '' } satisfies RequestSummary),
    response: '',
  },
});

function nextOf(decision: Decision): EndedAttempt['next'] {
  switch (decision.kind) {
    case 'delivered':
      return { state: 'delivered' };
    case 'retry':
      return { state: 'retrying', dueAt: decision.at };
    case 'wait':
      return { state: 'retrying', dueAt: decision.at, isUnspent: true };
    case 'dead':
      return { state: 'dead', code: decision.code };
  }
}
