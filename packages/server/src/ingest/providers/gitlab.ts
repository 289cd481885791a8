import type { Preset } from '../verification/preset.ts';
import { webhookVerifier } from '../verification/standard-webhooks.ts';
import { tokenVerifier } from '../verification/token.ts';
import { chosenSecret } from './fields.ts';

/** GitLab: the secret itself in a header, or a signature by a signing token. */
const TOKEN = 'x-gitlab-token';

export const gitlab: Preset = {
  name: 'gitlab',
  title: 'GitLab',
  steps: [
    'Open the project or group at GitLab, then Settings → Webhooks → Add new webhook.',
    'Paste the URL of this source.',
    'Paste the secret of this source as the secret token, or paste GitLab’s signing token here.',
  ],
  documentation: 'GitLab Docs: Webhooks',
  fields: { secret: { ...chosenSecret, label: 'Secret token or signing token' } },
  signature: 'The secret itself in `x-gitlab-token`, or HMAC-SHA256 in `webhook-signature`.',
  note: 'With a secret token the body is not signed: choose a signing token where GitLab offers it.',
  secretHeaders: [TOKEN, 'webhook-signature'],
  prepare({ secrets }) {
    const byToken = tokenVerifier(TOKEN, secrets);
    const bySignature = webhookVerifier(secrets);
    return {
      verifyUnread: unread => (unread.headers.has('webhook-signature') ? undefined : byToken(unread)),
      verify(received) {
        const { headers } = received;
        if (!headers.has('webhook-signature')) return byToken(received);
        const mismatch = bySignature(received);
        // Both may be set, and only one of them is known here.
        return mismatch !== null && headers.has(TOKEN) ? byToken(received) : mismatch;
      },
    };
  },
  body: { typeFrom: { header: 'x-gitlab-event', prefix: 'gitlab.' } },
  // The uuid changes between retries.
  deliveryHeaders: ['idempotency-key', 'x-gitlab-event-uuid'],
};
