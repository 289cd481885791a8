import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret } from './fields.ts';

/** Vercel. */
export const vercel: Preset = {
  name: 'vercel',
  title: 'Vercel',
  steps: [
    'Open Vercel, then Settings of the team → Webhooks.',
    'Choose the events and paste the URL of this source as the endpoint URL.',
    'Copy the secret, which is shown once, and paste it here.',
  ],
  documentation: 'Vercel Docs: Setting up webhooks',
  fields: { secret: givenSecret('Secret', 'Shown once, when the webhook is created.') },
  signature: 'HMAC-SHA1 of the body, hexadecimal, in `x-vercel-signature`.',
  ...signedBy({ header: 'x-vercel-signature', algorithm: 'sha1', encoding: 'hex', signed: '{body}' }),
  body: { deliveryId: ['payload.id'] },
};
