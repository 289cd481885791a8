import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret } from './fields.ts';

/** Stripe: a timestamp and one or more signatures in one header. */
export const stripe: Preset = {
  name: 'stripe',
  title: 'Stripe',
  steps: [
    'Open the Stripe Dashboard, then Developers → Webhooks → Add destination.',
    'Paste the URL of this source as the endpoint URL and choose the events.',
    'Reveal the signing secret of that endpoint (whsec_…) and paste it here.',
  ],
  documentation: 'Stripe Docs: Receive Stripe events in your webhook endpoint',
  fields: { secret: givenSecret('Signing secret', 'Begins with whsec_; each endpoint has its own.') },
  signature: 'HMAC-SHA256 of `<timestamp>.<body>`, hexadecimal, in `stripe-signature: t=…,v1=…`; 300 s.',
  ...signedBy({
    header: 'stripe-signature',
    algorithm: 'sha256',
    encoding: 'hex',
    signed: '{timestamp}.{body}',
    format: 't={timestamp},v1={signature}',
    isList: true,
  }),
  body: { deliveryId: ['payload.id'] },
};
