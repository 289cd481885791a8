import { createHmac } from 'node:crypto';
import { isObject, questionIn } from '../verification/in-body.ts';
import { type Preset, signedBy } from '../verification/preset.ts';
import type { Received } from '../verification/received.ts';
import { givenSecret } from './fields.ts';

/** Zoom: it asks for proof that whoever answers knows the secret. */
const signed = signedBy({
  header: 'x-zm-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: 'v0=',
  signed: 'v0:{timestamp}:{body}',
  timestampHeader: 'x-zm-request-timestamp',
});

const QUESTION = 'endpoint.url_validation';

function answerValidation({ bytes }: Received, secret: string): Response | null {
  const question = questionIn(bytes, QUESTION);
  if (!isObject(question) || question.event !== QUESTION || !isObject(question.payload)) return null;
  const plainToken = String(question.payload.plainToken ?? '');
  const encryptedToken = createHmac('sha256', secret).update(plainToken).digest('hex');
  return Response.json({ plainToken, encryptedToken });
}

export const zoom: Preset = {
  name: 'zoom',
  title: 'Zoom',
  steps: [
    'Open your app in the Zoom App Marketplace, then Features → Access, and copy the secret token here.',
    'Create this source.',
    'Add an event subscription with its URL and press Validate.',
  ],
  documentation: 'Zoom Developers: Using webhooks',
  fields: { secret: givenSecret('Secret token', 'Features → Access → Token.') },
  signature: 'HMAC-SHA256 of `v0:<timestamp>:<body>`, hexadecimal, in `x-zm-signature: v0=…`; 300 s.',
  note: '`endpoint.url_validation` is answered and creates no event.',
  ...signed,
  prepare: keys => ({
    ...signed.prepare(keys),
    confirm: received => answerValidation(received, keys.secrets[0] ?? ''),
  }),
  body: { typeFrom: { path: 'payload.event', prefix: 'zoom.' } },
};
