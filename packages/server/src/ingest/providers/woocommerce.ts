import { type Preset, signedBy } from '../verification/preset.ts';
import { chosenSecret } from './fields.ts';

/** WooCommerce: when a webhook is saved it posts its id, unsigned, to see whether somebody answers. */
const signed = signedBy({
  header: 'x-wc-webhook-signature',
  algorithm: 'sha256',
  encoding: 'base64',
  signed: '{body}',
});

/** `webhook_id=…`, and nothing of what a delivery has. */
const isPing = ({ method, headers }: Request): boolean =>
  method === 'POST' &&
  !headers.has('x-wc-webhook-signature') &&
  !headers.has('x-wc-webhook-topic') &&
  headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') === true &&
  Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY) <= 64;

export const woocommerce: Preset = {
  name: 'woocommerce',
  title: 'WooCommerce',
  steps: [
    'Open WordPress, then WooCommerce → Settings → Advanced → Webhooks → Add webhook.',
    'Paste the URL of this source as the delivery URL, and its secret as the secret.',
    'Set the status to active and save.',
  ],
  documentation: 'WooCommerce Documentation: Webhooks',
  fields: { secret: chosenSecret },
  signature: 'HMAC-SHA256 of the body, base64, in `x-wc-webhook-signature`.',
  note: 'The unsigned ping that comes when it is saved is answered and creates no event.',
  ...signed,
  prepare: keys => ({
    ...signed.prepare(keys),
    challenge: request => (isPing(request) ? new Response(null) : null),
  }),
  body: { typeFrom: { header: 'x-wc-webhook-topic', prefix: 'woocommerce.' } },
  deliveryHeaders: ['x-wc-webhook-delivery-id'],
};
