import { messageOf } from '../../core/errors.ts';
import type { ClaimedDelivery, StoredDestination } from '../../core/stores/deliveries.ts';
import type { AttemptResult } from '../decide/attempt.ts';
import type { Destination } from '../destination.ts';
import { quoted } from '../rendering/text.ts';

/** Whatever a destination breaks on is that delivery's failure, and nobody else's. */
export const brokenBy = (error: unknown, { destinationId }: ClaimedDelivery): AttemptResult =>
  failure(destinationId, `It could not be sent: ${reasonOf(error)}`);

/** In place of a destination whose settings cannot be read, as after a change of the secret key. */
export const unreadable = ({ id }: StoredDestination, error: unknown): Destination => ({
  readsTraits: false,
  send: async () => failure(id, `The destination’s settings cannot be read: ${reasonOf(error)}`),
});

const reasonOf = (error: unknown): string => quoted(messageOf(error));

const failure = (target: string, message: string): AttemptResult => ({
  outcome: 'failed',
  code: 'rejected_by_destination',
  message,
  retryAfterMs: null,
  request: { target, headers: {}, body: '' },
  status: null,
  response: null,
  durationMs: 0,
});
