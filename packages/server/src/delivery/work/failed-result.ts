import { messageOf } from '../../core/errors.ts';
import type { AttemptResult, Failed } from '../../core/http/attempt.ts';
import { SendingInterrupted } from '../../core/http/outgoing.ts';
import type { StoredDestination } from '../../core/stores/configuration/destinations.ts';
import type { ClaimedDelivery } from '../../core/stores/delivery-queue.ts';
import type { Destination } from '../destination.ts';
import { quoted } from '../rendering/text.ts';

/** The result of an attempt that threw: a defect of a destination is that delivery's failure, and nobody else's. */
export const resultOfError = (error: unknown, { destinationId }: ClaimedDelivery): AttemptResult =>
  error instanceof SendingInterrupted
    ? {
        ...failed(destinationId, `It is sent again: ${reasonOf(error)}`),
        code: 'connection_reset',
        isUnspent: true,
      }
    : failed(destinationId, `It could not be sent: ${reasonOf(error)}`);

/** In place of a destination whose settings cannot be read, as after a change of the secret key. */
export const unreadableDestination = ({ id }: StoredDestination, error: unknown): Destination => ({
  readsTraits: false,
  send: async () => failed(id, `The destination’s settings cannot be read: ${reasonOf(error)}`),
});

const reasonOf = (error: unknown): string => quoted(messageOf(error));

const failed = (target: string, message: string): Failed => ({
  outcome: 'failed',
  code: 'rejected_by_destination',
  message,
  retryAfterMs: null,
  request: { target, headers: {}, body: '' },
  status: null,
  response: null,
  durationMs: 0,
});
