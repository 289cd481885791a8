import { type Preset, signedBy } from '../verification/preset.ts';
import { chosenSecret } from './fields.ts';

/** Calendly. */
export const calendly: Preset = {
  name: 'calendly',
  title: 'Calendly',
  steps: [
    'Create this source.',
    'Create a webhook subscription with Calendly’s API: the URL of this source as url, its secret as signing_key.',
  ],
  documentation: 'Calendly Developer: Webhook signatures',
  fields: { secret: { ...chosenSecret, label: 'Signing key' } },
  signature:
    'HMAC-SHA256 of `<timestamp>.<body>`, hexadecimal, in `calendly-webhook-signature: t=…,v1=…`; 300 s.',
  ...signedBy({
    header: 'calendly-webhook-signature',
    algorithm: 'sha256',
    encoding: 'hex',
    signed: '{timestamp}.{body}',
    format: 't={timestamp},v1={signature}',
    hasOneSignature: true,
  }),
  body: { typeFrom: { path: 'payload.event', prefix: 'calendly.' } },
};
