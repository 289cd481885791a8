import { z } from 'zod';
import { jsonObject, textOf } from './event.ts';

/** Private calls about destinations, what is sent to them, and what could not be. */

const policyFields = {
  attempts: z.int().min(1).max(50),
  /** The delay before each attempt; the last repeats where it is shorter than `attempts`. */
  schedule_s: z
    .array(
      z
        .number()
        .min(0)
        .max(7 * 86_400),
    )
    .min(1)
    .max(50),
  timeout_s: z.number().min(0.1).max(300),
  concurrency: z.int().min(1).max(1_000),
  /** 0 is unlimited. */
  rate_per_second: z.number().min(0).max(1_000_000),
};

/** How a destination is delivered to: as people set it, with the defaults that hold where they do not. */
export const deliveryPolicy = z.strictObject({
  attempts: policyFields.attempts.default(8),
  schedule_s: policyFields.schedule_s.default([0, 5, 30, 120, 600, 1_800, 7_200, 21_600]),
  timeout_s: policyFields.timeout_s.default(15),
  concurrency: policyFields.concurrency.default(16),
  rate_per_second: policyFields.rate_per_second.default(0),
});
export type DeliveryPolicy = z.output<typeof deliveryPolicy>;

const name = z
  .string()
  .trim()
  .min(1, 'must have 1 to 100 characters.')
  .max(100, 'must have 1 to 100 characters.');

export const destinationBody = z.strictObject({
  kind: z.string(),
  name,
  config: jsonObject.default(() => ({})),
  policy: deliveryPolicy.default(() => deliveryPolicy.parse({})),
});

export const destinationChange = z.strictObject({
  name: name.optional(),
  config: jsonObject.optional(),
  /** What is left out stays as it is. */
  policy: z.strictObject(policyFields).partial().optional(),
});

export const destinationRotation = z.strictObject({
  overlap_s: z
    .number()
    .min(0)
    .max(30 * 86_400)
    .default(86_400),
});

export const deliveryState = z.enum([
  'pending',
  'held',
  'delivering',
  'retrying',
  'delivered',
  'dead',
  'cancelled',
]);

/** What a list of deliveries can be narrowed by; all of it combines with AND. */
export const deliveryFilter = {
  event: textOf(1, 64).optional(),
  destination: textOf(1, 64).optional(),
  state: deliveryState.optional(),
  code: textOf(1, 64).optional(),
};

/** Dead letters are all dead; what is left to choose is where they were going and why they did not arrive. */
export const deadLetterFilter = z.strictObject({
  event: deliveryFilter.event,
  destination: deliveryFilter.destination,
  code: deliveryFilter.code,
});

export const retryDeadLetters = z.strictObject({ filter: deadLetterFilter.default({}) });
