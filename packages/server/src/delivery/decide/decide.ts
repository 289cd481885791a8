import { hours } from '../../core/clock.ts';
import type { AttemptResult } from '../../core/http/attempt.ts';
import type { OutgoingFailure } from '../../core/http/outgoing.ts';
import {
  delayBefore,
  jittered,
  type Random,
  remainingDelays,
  type Schedule,
} from '../../core/work/backoff.ts';

/**
 * The whole retry logic, apart from any I/O. A delivery is tried as often as its destination's policy says; the
 * delays come from the schedule, spread by jitter, and are lengthened, never shortened, by what the other side
 * asks for. Two failures are final at once: an address that may not be connected to, and a template that cannot be
 * rendered.
 */
export type Decision =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'retry'; readonly at: number }
  | ({ readonly kind: 'dead' } & OutgoingFailure);

export interface RetryPolicy extends Schedule {
  readonly timeoutMs: number;
}

const MOST_HEEDED_RETRY_AFTER_MS = hours(1);

/** Where a delivery stands when its attempt has ended. */
interface AttemptContext {
  readonly policy: RetryPolicy;
  /** Within the present budget, the attempt in question included: a retry out of the dead letters has a fresh one. */
  readonly attemptsMade: number;
  readonly now: number;
}

export function decide(result: AttemptResult, context: AttemptContext, random: Random): Decision {
  if (result.outcome === 'delivered') return { kind: 'delivered' };
  const { policy, attemptsMade, now } = context;
  const { code, message } = result;
  const isFinal = result.isFinal || code === 'address_not_allowed';
  if (isFinal || attemptsMade >= policy.attempts) return { kind: 'dead', code, message };
  const planned = jittered(delayBefore(policy, attemptsMade + 1), random);
  const asked = Math.min(result.retryAfterMs ?? 0, MOST_HEEDED_RETRY_AFTER_MS);
  return { kind: 'retry', at: now + Math.max(planned, asked) };
}

/**
 * How long after it was due all attempts of a delivery would have been made and answered. Waiting for a destination
 * whose breaker is open spends no attempts, but it is not endless: after this the delivery is dead.
 */
export const longestWait = (policy: RetryPolicy, attemptsMade: number): number =>
  remainingDelays(policy, attemptsMade + 1) + policy.timeoutMs;
