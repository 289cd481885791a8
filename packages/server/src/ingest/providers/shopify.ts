import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret } from './fields.ts';

/** Shopify: of an app, or of a shop's own settings. */
export const shopify: Preset = {
  name: 'shopify',
  title: 'Shopify',
  steps: [
    'Open the Shopify admin, then Settings → Notifications → Webhooks, or your app’s configuration.',
    'Create a webhook in JSON, with the URL of this source.',
    'Paste here what Shopify says your webhooks will be signed with; for an app that is its client secret.',
  ],
  documentation: 'Shopify Developer Documentation: Verify webhook deliveries',
  fields: {
    secret: givenSecret(
      'Signing secret',
      'Shown below the list of webhooks, or the client secret of an app.',
    ),
  },
  signature: 'HMAC-SHA256 of the body, base64, in `x-shopify-hmac-sha256`.',
  ...signedBy({ header: 'x-shopify-hmac-sha256', algorithm: 'sha256', encoding: 'base64', signed: '{body}' }),
  body: { typeFrom: { header: 'x-shopify-topic', prefix: 'shopify.' } },
  deliveryHeaders: ['x-shopify-webhook-id'],
};
