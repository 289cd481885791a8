import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret } from './fields.ts';

/** PagerDuty: a list of signatures, one for each secret in use. */
export const pagerduty: Preset = {
  name: 'pagerduty',
  title: 'PagerDuty',
  steps: [
    'Open PagerDuty, then Integrations → Generic Webhooks (v3) → New webhook.',
    'Paste the URL of this source and choose the events.',
    'Copy the signing secret, which is shown once, and paste it here.',
  ],
  documentation: 'PagerDuty Developer: Webhook signatures',
  fields: { secret: givenSecret('Signing secret', 'Shown once, when the webhook is created.') },
  signature: 'HMAC-SHA256 of the body, hexadecimal, in `x-pagerduty-signature: v1=…[,v1=…]`.',
  ...signedBy({
    header: 'x-pagerduty-signature',
    algorithm: 'sha256',
    encoding: 'hex',
    prefix: 'v1=',
    signed: '{body}',
    isList: true,
  }),
  body: {
    typeFrom: { path: 'payload.event.event_type', prefix: 'pagerduty.' },
    deliveryId: ['payload.event.id'],
  },
};
