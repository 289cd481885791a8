import { parseTimestamp, timestamp } from '@sluice/contract/event';
import { z } from 'zod';
import { tokenField } from '../fields.ts';
import { LISTENER_TOKEN } from './token.ts';

const listenerToken = z.string().regex(LISTENER_TOKEN, 'must be a token that was created here.');

/** The configuration of a `listener` destination: who may connect, and what signs. */
export const listenerConfig = z.strictObject({
  signing_secret: tokenField.optional().meta({
    title: 'Signing secret',
    description: 'Signs each delivery, like the secret of a webhook. Default: the token.',
  }),
  // Made here, and rotated here; a form only hands them on.
  token: listenerToken
    .optional()
    .meta({ description: 'Opens the connection; created here and shown once.', readOnly: true }),
  previous_token: listenerToken
    .optional()
    .meta({ description: 'Opens it too while the token is being rotated.', readOnly: true }),
  previous_token_until: timestamp
    .optional()
    .meta({ description: 'How long it does.', type: 'string', format: 'date-time', readOnly: true }),
});

type ListenerConfig = z.output<typeof listenerConfig>;

/** Until when the token before the present one holds; null where there is none. */
export const previousTokenUntil = (until: string | undefined): number | null =>
  until === undefined ? null : parseTimestamp(until);

/** The tokens that open a connection now. */
export function tokensOf(config: ListenerConfig, now: number): string[] {
  const { token, previous_token: previous, previous_token_until: until } = config;
  const isHeld = now < (previousTokenUntil(until) ?? 0);
  return [token, isHeld ? previous : undefined].filter(one => one !== undefined);
}
