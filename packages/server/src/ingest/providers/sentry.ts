import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret } from './fields.ts';

/** Sentry: the webhooks of an internal integration. */
export const sentry: Preset = {
  name: 'sentry',
  title: 'Sentry',
  steps: [
    'Open Sentry, then Settings → Developer Settings → New internal integration.',
    'Paste the URL of this source as the webhook URL and save.',
    'Copy the client secret of the integration and paste it here.',
  ],
  documentation: 'Sentry Docs: Integration platform webhooks',
  fields: { secret: givenSecret('Client secret', 'Credentials of the integration.') },
  signature: 'HMAC-SHA256 of the body, hexadecimal, in `sentry-hook-signature`.',
  ...signedBy({ header: 'sentry-hook-signature', algorithm: 'sha256', encoding: 'hex', signed: '{body}' }),
  body: { typeFrom: { header: 'sentry-hook-resource', prefix: 'sentry.', andThen: 'payload.action' } },
  deliveryHeaders: ['request-id'],
};
