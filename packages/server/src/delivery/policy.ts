import { z } from 'zod';
import { seconds } from '../core/clock.ts';
import type { RetryPolicy } from './decide.ts';

/** How a destination is delivered to: as people set it, with the defaults that hold where they do not. */
export const deliveryPolicy = z.strictObject({
  attempts: z.int().min(1).max(50).default(8),
  schedule_s: z
    .array(
      z
        .number()
        .min(0)
        .max(7 * 86_400),
    )
    .min(1)
    .max(50)
    .default([0, 5, 30, 120, 600, 1_800, 7_200, 21_600]),
  timeout_s: z.number().min(0.1).max(300).default(15),
  concurrency: z.int().min(1).max(1_000).default(16),
  /** 0 is unlimited. */
  rate_per_second: z.number().min(0).max(1_000_000).default(0),
});
export type DeliveryPolicy = z.output<typeof deliveryPolicy>;

export const retryPolicyOf = (policy: DeliveryPolicy): RetryPolicy => ({
  attempts: policy.attempts,
  delaysS: policy.schedule_s,
  timeoutMs: seconds(policy.timeout_s),
});
