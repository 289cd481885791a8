import { hours } from '../../core/clock.ts';
import type { AttemptResult } from '../../core/http/attempt.ts';
import type { OutgoingFailure } from '../../core/http/outgoing.ts';
import {
  delayBefore,
  jittered,
  LONGEST_JITTER,
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
  /** A probe that failed, or one whose connection was lost: it waits on, and has spent nothing. The next leaves no earlier than it was asked to. */
  | { readonly kind: 'wait'; readonly at: number; readonly nextProbeFrom: number }
  | ({ readonly kind: 'dead' } & OutgoingFailure);

export interface RetryPolicy extends Schedule {
  readonly timeoutMs: number;
}

export const MOST_HEEDED_RETRY_AFTER_MS = hours(1);

/** Where a delivery stands when its attempt has ended. */
interface AttemptContext {
  readonly policy: RetryPolicy;
  /** Within the present budget, the attempt in question included: a retry out of the dead letters has a fresh one. */
  readonly attemptsMade: number;
  readonly now: number;
  /** Whether it went out to see if a destination that is down is back. */
  readonly isProbe: boolean;
}

export function decide(result: AttemptResult, context: AttemptContext, random: Random): Decision {
  if (result.outcome === 'delivered') return { kind: 'delivered' };
  const { policy, attemptsMade, now } = context;
  const { code, message } = result;
  const isFinal = result.isFinal || code === 'address_not_allowed';
  if (isFinal) return { kind: 'dead', code, message };
  const asked = Math.min(result.retryAfterMs ?? 0, MOST_HEEDED_RETRY_AFTER_MS);
  if (context.isProbe || result.isUnspent) return { kind: 'wait', at: now, nextProbeFrom: now + asked };
  if (attemptsMade >= policy.attempts) return { kind: 'dead', code, message };
  const planned = jittered(delayBefore(policy, attemptsMade + 1), random);
  return { kind: 'retry', at: now + Math.max(planned, asked) };
}

/** How long after it is due the last of all attempts that are left may be answered. */
export const longestWait = (policy: RetryPolicy, attemptsMade: number): number =>
  remainingDelays(policy, attemptsMade + 1) * LONGEST_JITTER + policy.timeoutMs;
