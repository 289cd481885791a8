import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret } from './fields.ts';

/** Xero: it sends right and wrong signatures to find out whether they are told apart. */
export const xero: Preset = {
  name: 'xero',
  title: 'Xero',
  steps: [
    'Open your app at developer.xero.com, then Webhooks, and copy the webhooks key here.',
    'Create this source.',
    'Paste its URL as the notifications URL and send the intent to receive.',
  ],
  documentation: 'Xero Developer: Webhooks overview',
  fields: { secret: givenSecret('Webhooks key', 'Webhooks page of the app.') },
  signature: 'HMAC-SHA256 of the body, base64, in `x-xero-signature`.',
  note: 'Answered with 200 and no body.',
  ...signedBy({ header: 'x-xero-signature', algorithm: 'sha256', encoding: 'base64', signed: '{body}' }),
  answer: () => new Response(null),
};
