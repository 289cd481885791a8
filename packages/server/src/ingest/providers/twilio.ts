import { createHash } from 'node:crypto';
import { decodeSignature, isHmacOf } from '../verification/hmac.ts';
import { formProof } from '../verification/in-body.ts';
import type { Verdict } from '../verification/mismatch.ts';
import type { Preset } from '../verification/preset.ts';
import { type Received, singleHeader } from '../verification/received.ts';
import { givenSecret, signedUrl } from './fields.ts';

/** Twilio: the URL and the fields of the form are signed; of a JSON body its digest, which stands in the URL. */
const HEADER = 'x-twilio-signature';

async function verify(secrets: readonly string[], received: Received): Promise<Verdict> {
  const given = singleHeader(received.headers, HEADER);
  if (!given.ok) return given.mismatch;
  const signature = decodeSignature(given.value, 'sha1', 'base64');
  if (signature === null)
    return { part: 'header_malformed', header: HEADER, expected: 'HMAC-SHA1 in base64' };
  const url = received.url();
  const digest = URL.canParse(url) ? new URL(url).searchParams.get('bodySHA256') : null;
  if (digest !== null) {
    const actual = createHash('sha256').update(received.bytes).digest('hex');
    if (digest.toLowerCase() !== actual)
      return { part: 'signature_differs', where: 'bodySHA256 of the URL', over: 'this body' };
    return isHmacOf(secrets, 'sha1', [signature], [url]) ? null : differs('the URL');
  }
  const proof = await received.proof();
  if (!proof.ok) return proof.mismatch;
  return isHmacOf(secrets, 'sha1', [signature], [url, proof.value.fields ?? ''])
    ? null
    : differs('the URL and the fields');
}

const differs = (over: string): Verdict => ({ part: 'signature_differs', where: HEADER, over });

const EMPTY_DOCUMENT = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>';

export const twilio: Preset = {
  name: 'twilio',
  title: 'Twilio',
  steps: [
    'Open the Twilio Console and copy the auth token of the account here.',
    'Create this source, and paste its URL where Twilio asks for a webhook: of a phone number, a messaging service or a status callback.',
  ],
  documentation: 'Twilio Docs: Webhooks security',
  fields: { secret: givenSecret('Auth token', 'Console → Account Info.'), url: signedUrl },
  signature:
    'HMAC-SHA1 of the URL and the sorted form fields, base64, in `x-twilio-signature`; of JSON, `bodySHA256`.',
  note: 'Answered with 200 and an empty TwiML document.',
  secretHeaders: [HEADER],
  requiredHeaders: [HEADER],
  proofIn: formProof,
  prepare: ({ secrets }) => ({ verify: received => verify(secrets, received) }),
  answer: () => new Response(EMPTY_DOCUMENT, { headers: { 'Content-Type': 'text/xml; charset=utf-8' } }),
  deliveryHeaders: ['i-twilio-idempotency-token'],
};
