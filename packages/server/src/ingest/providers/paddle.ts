import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret } from './fields.ts';

/** Paddle Billing. */
export const paddle: Preset = {
  name: 'paddle',
  title: 'Paddle',
  steps: [
    'Open Paddle, then Developer tools → Notifications → New destination.',
    'Paste the URL of this source and choose the events.',
    'Edit the destination, copy its secret key (pdl_ntfset_…) and paste it here.',
  ],
  documentation: 'Paddle Developer: Verify webhook signatures',
  fields: { secret: givenSecret('Secret key', 'Of the notification destination; begins with pdl_ntfset_.') },
  signature: 'HMAC-SHA256 of `<timestamp>:<body>`, hexadecimal, in `paddle-signature: ts=…;h1=…`; 300 s.',
  ...signedBy({
    header: 'paddle-signature',
    algorithm: 'sha256',
    encoding: 'hex',
    signed: '{timestamp}:{body}',
    format: 'ts={timestamp};h1={signature}',
  }),
  body: {
    typeFrom: { path: 'payload.event_type', prefix: 'paddle.' },
    deliveryId: ['payload.event_id'],
  },
};
