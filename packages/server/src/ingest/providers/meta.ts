import { hubChallenge, plainAnswer } from '../verification/challenge.ts';
import { type Preset, signedBy } from '../verification/preset.ts';
import { givenSecret, verifyTokenField } from './fields.ts';

/** Meta: Facebook, Instagram and WhatsApp. */
const signed = signedBy({
  header: 'x-hub-signature-256',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: 'sha256=',
  signed: '{body}',
});

export const meta: Preset = {
  name: 'meta',
  title: 'Meta',
  also: ['Facebook', 'Instagram', 'WhatsApp', 'Messenger', 'Threads'],
  steps: [
    'Open your app at developers.facebook.com, then App settings → Basic, and copy the app secret here.',
    'Create this source.',
    'Paste its URL as the callback URL of the webhooks product, and its verify token; Meta verifies both immediately.',
  ],
  documentation: 'Meta for Developers: Webhooks, getting started',
  fields: { secret: givenSecret('App secret', 'App settings → Basic.'), verify_token: verifyTokenField },
  signature: 'HMAC-SHA256 of the body, hexadecimal, in `x-hub-signature-256: sha256=…`.',
  note: 'A GET with `hub.challenge` and the verify token is answered.',
  ...signed,
  prepare: keys => ({
    ...signed.prepare(keys),
    challenge(request) {
      const challenge = hubChallenge(request, keys.verifyToken);
      return challenge === null ? null : plainAnswer(challenge);
    },
  }),
  body: { typeFrom: { path: 'payload.object', prefix: 'meta.' } },
};
