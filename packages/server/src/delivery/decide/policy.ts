import type { DeliveryPolicy } from '@sluice/contract/dashboard-deliveries';
import { seconds } from '../../core/clock.ts';
import type { RetryPolicy } from './decide.ts';

/** The part of a destination's policy that the retry decision reads. */
export const retryPolicyOf = (policy: DeliveryPolicy): RetryPolicy => ({
  attempts: policy.attempts,
  delaysS: policy.schedule_s,
  timeoutMs: seconds(policy.timeout_s),
});
