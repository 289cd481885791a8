import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret } from './fields.ts';

/** Linear. */
export const linear: Preset = {
  name: 'linear',
  title: 'Linear',
  steps: [
    'Open Linear, then Settings → API → Webhooks → New webhook.',
    'Paste the URL of this source.',
    'Copy the signing secret of the webhook and paste it here.',
  ],
  documentation: 'Linear Developers: Webhooks',
  fields: { secret: givenSecret('Signing secret', 'Shown with the webhook; begins with lin_wh_.') },
  signature: 'HMAC-SHA256 of the body, hexadecimal, in `linear-signature`.',
  ...signedBy({ header: 'linear-signature', algorithm: 'sha256', encoding: 'hex', signed: '{body}' }),
  body: { typeFrom: { path: 'payload.type', prefix: 'linear.', andThen: 'payload.action' } },
  deliveryHeaders: ['linear-delivery'],
};
