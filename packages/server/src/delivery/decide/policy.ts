import { seconds } from '../../core/clock.ts';
import type { FormerPolicy, StoredDestination } from '../../core/stores/configuration/destinations.ts';
import { longestWait, type RetryPolicy } from './decide.ts';

/** The policies that the retry decision reads: a destination's own, and those that it had before. */

const retryPolicyOf = (policy: Omit<FormerPolicy, 'until'>): RetryPolicy => ({
  attempts: policy.attempts,
  delaysS: policy.schedule_s,
  timeoutMs: seconds(policy.timeout_s),
});

/** What a delivery is tried by: where its destination's policy was changed while it was open, the longest since. */
export function policyFor(
  { policy, formerPolicies }: Pick<StoredDestination, 'policy' | 'formerPolicies'>,
  delivery: { readonly budgetAt: number; readonly attemptsMade: number },
): RetryPolicy {
  let longest = retryPolicyOf(policy);
  for (const former of formerPolicies) {
    if (former.until < delivery.budgetAt) continue;
    const retries = retryPolicyOf(former);
    if (isLonger(retries, longest, delivery.attemptsMade)) longest = retries;
  }
  return longest;
}

function isLonger(policy: RetryPolicy, than: RetryPolicy, attemptsMade: number): boolean {
  const [isOver, thatIsOver] = [policy, than].map(({ attempts }) => attempts <= attemptsMade);
  if (isOver !== thatIsOver) return thatIsOver === true;
  // After its last attempt, the one with more attempts has kept it for longer.
  return isOver
    ? policy.attempts > than.attempts
    : longestWait(policy, attemptsMade) > longestWait(than, attemptsMade);
}
