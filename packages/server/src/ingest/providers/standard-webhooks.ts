import type { Preset } from '../verification/preset.ts';
import { keyOf, webhookVerifier } from '../verification/standard-webhooks.ts';
import { givenSecret } from './fields.ts';

/** Whoever signs as Standard Webhooks has it. */
export const standardWebhooks: Preset = {
  name: 'standard-webhooks',
  title: 'Standard Webhooks',
  also: [
    'Svix',
    'Clerk',
    'Resend',
    'OpenAI',
    'Anthropic',
    'Supabase',
    'Polar',
    'Brex',
    'Render',
    'Replicate',
  ],
  steps: [
    'Open the webhooks of the provider and add an endpoint.',
    'Paste the URL of this source as the endpoint’s URL.',
    'Copy the signing secret (whsec_…) and paste it here.',
  ],
  documentation: 'Standard Webhooks: the specification',
  fields: { secret: givenSecret('Signing secret', 'Base64, usually after whsec_.') },
  signature:
    'HMAC-SHA256 of `<id>.<timestamp>.<body>`, base64, in `webhook-signature: v1,…` (or `svix-…`); 300 s.',
  secretHeaders: ['webhook-signature', 'svix-signature'],
  requiredHeaders: [['webhook-signature', 'svix-signature']],
  prepare: ({ secrets }) => ({ verify: webhookVerifier(secrets) }),
  check({ secrets }) {
    const isKey = secrets.every(secret => keyOf(secret) !== null);
    return isKey ? null : { field: 'secret', message: 'secret must be base64, usually after whsec_.' };
  },
  deliveryHeaders: ['webhook-id', 'svix-id'],
};
