import type { Preset } from '../verification/preset.ts';
import { tokenVerifier } from '../verification/token.ts';
import { chosenSecret } from './fields.ts';

/** Telegram: updates of a bot, with the secret itself in a header. */
const HEADER = 'x-telegram-bot-api-secret-token';

export const telegram: Preset = {
  name: 'telegram',
  title: 'Telegram',
  steps: [
    'Create this source.',
    'Call setWebhook of the bot: the URL of this source as url, its secret as secret_token.',
  ],
  documentation: 'Telegram Bot API: setWebhook',
  fields: {
    secret: {
      ...chosenSecret,
      label: 'Secret token',
      hint: 'Letters, digits, _ and -. Leave it empty to generate one.',
    },
  },
  signature: 'The secret itself in `x-telegram-bot-api-secret-token`; the body is not signed.',
  secretHeaders: [HEADER],
  requiredHeaders: [HEADER],
  prepare({ secrets }) {
    const verify = tokenVerifier(HEADER, secrets);
    return { verify, verifyUnread: verify };
  },
  check: ({ secrets }) =>
    secrets.every(secret => /^[A-Za-z0-9_-]{1,256}$/.test(secret))
      ? null
      : { field: 'secret', message: 'secret may have up to 256 letters, digits, _ and -.' },
  body: { deliveryId: ['payload.update_id'] },
};
