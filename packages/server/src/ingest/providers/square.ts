import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret, signedUrl } from './fields.ts';

/** Square: the URL is signed with the body. */
export const square: Preset = {
  name: 'square',
  title: 'Square',
  steps: [
    'Open the Square Developer Console, then your application → Webhooks → Subscriptions → Add subscription.',
    'Paste the URL of this source as the notification URL.',
    'Show the signature key of the subscription and paste it here.',
  ],
  documentation: 'Square Developer Docs: Verify and validate an event notification',
  fields: { secret: givenSecret('Signature key', 'Of the subscription.'), url: signedUrl },
  signature: 'HMAC-SHA256 of the URL and the body, base64, in `x-square-hmacsha256-signature`.',
  ...signedBy({
    header: 'x-square-hmacsha256-signature',
    algorithm: 'sha256',
    encoding: 'base64',
    signed: '{url}{body}',
  }),
  body: { deliveryId: ['payload.event_id'] },
};
