import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret } from './fields.ts';

/** DocuSign Connect. */
const HEADER = 'x-docusign-signature-1';

export const docusign: Preset = {
  name: 'docusign',
  title: 'DocuSign',
  steps: [
    'Open DocuSign, then Settings → Connect → Connect Keys, add a secret key and paste it here.',
    'Create this source.',
    'Add a custom configuration in JSON with its URL, and choose to include the HMAC signature.',
  ],
  documentation: 'DocuSign Developers: Add HMAC security to your webhook listener',
  fields: { secret: givenSecret('Connect key', 'Shown once, when it is added; the first of the account.') },
  signature: 'HMAC-SHA256 of the body, base64, in `x-docusign-signature-1`.',
  ...signedBy({ header: HEADER, algorithm: 'sha256', encoding: 'base64', signed: '{body}' }),
  body: { typeFrom: { path: 'payload.event', prefix: 'docusign.' } },
};
