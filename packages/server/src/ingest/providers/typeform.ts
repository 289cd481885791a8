import { type Preset, signedBy } from '../verification/preset.ts';
import { chosenSecret } from './fields.ts';

/** Typeform. */
export const typeform: Preset = {
  name: 'typeform',
  title: 'Typeform',
  steps: [
    'Open the form at Typeform, then Connect → Webhooks → Add a webhook.',
    'Paste the URL of this source.',
    'Edit the webhook, paste the secret of this source as its secret, and switch it on.',
  ],
  documentation: 'Typeform Developers: Secure your webhooks',
  fields: { secret: chosenSecret },
  signature: 'HMAC-SHA256 of the body, base64, in `typeform-signature: sha256=…`.',
  ...signedBy({
    header: 'typeform-signature',
    algorithm: 'sha256',
    encoding: 'base64',
    prefix: 'sha256=',
    signed: '{body}',
  }),
  body: {
    typeFrom: { path: 'payload.event_type', prefix: 'typeform.' },
    deliveryId: ['payload.event_id'],
  },
};
