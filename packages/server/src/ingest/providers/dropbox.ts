import { askedFor, plainAnswer } from '../verification/challenge.ts';
import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret } from './fields.ts';

/** Dropbox. */
const signed = signedBy({
  header: 'x-dropbox-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  signed: '{body}',
});

export const dropbox: Preset = {
  name: 'dropbox',
  title: 'Dropbox',
  steps: [
    'Open your app in the Dropbox App Console, and copy the app secret here.',
    'Create this source.',
    'Paste its URL under Webhooks → Webhook URIs; Dropbox verifies it immediately.',
  ],
  documentation: 'Dropbox Developers: Webhooks',
  fields: { secret: givenSecret('App secret', 'Settings of the app.') },
  signature: 'HMAC-SHA256 of the body, hexadecimal, in `x-dropbox-signature`.',
  note: 'A GET with `challenge` is answered.',
  ...signed,
  prepare: keys => ({
    ...signed.prepare(keys),
    challenge(request) {
      const challenge = askedFor(request, 'GET', 'challenge');
      return challenge === null ? null : plainAnswer(challenge);
    },
  }),
};
