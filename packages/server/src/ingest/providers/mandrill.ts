import { decodeSignature, isHmacOf } from '../verification/hmac.ts';
import { formProof } from '../verification/in-body.ts';
import type { Preset } from '../verification/preset.ts';
import { singleHeader } from '../verification/received.ts';
import { givenSecret, signedUrl } from './fields.ts';

/** Mandrill, Mailchimp's transactional mail: a list in a field of a form; URL and fields are signed. */
const HEADER = 'x-mandrill-signature';

export const mandrill: Preset = {
  name: 'mandrill',
  title: 'Mailchimp Transactional',
  also: ['Mandrill'],
  steps: [
    'Open Mandrill, then Settings → Webhooks → Add a webhook, with the URL of this source.',
    'Copy the key of the webhook and paste it here.',
  ],
  documentation: 'Mailchimp Developer: Authenticating webhook requests',
  fields: { secret: givenSecret('Webhook key', 'Shown with the webhook.'), url: signedUrl },
  signature: 'HMAC-SHA1 of the URL and the sorted form fields, base64, in `x-mandrill-signature`.',
  note: 'Each item of a list becomes one event. A HEAD is answered.',
  secretHeaders: [HEADER],
  requiredHeaders: [HEADER],
  proofIn: formProof,
  prepare: ({ secrets }) => ({
    challenge: request => (request.method === 'HEAD' ? new Response(null) : null),
    async verify(received) {
      const given = singleHeader(received.headers, HEADER);
      if (!given.ok) return given.mismatch;
      const signature = decodeSignature(given.value, 'sha1', 'base64');
      if (signature === null)
        return { part: 'header_malformed', header: HEADER, expected: 'HMAC-SHA1 in base64' };
      const proof = await received.proof();
      if (!proof.ok) return proof.mismatch;
      return isHmacOf(secrets, 'sha1', [signature], [received.url(), proof.value.fields ?? ''])
        ? null
        : { part: 'signature_differs', where: HEADER, over: 'the URL and the fields' };
    },
  }),
  body: {
    typeFrom: { path: 'payload.event', prefix: 'mandrill.' },
    formField: 'mandrill_events',
    // The id is the message's, which several events have.
    each: { id: ['payload._id', 'payload.event', 'payload.ts'] },
  },
};
