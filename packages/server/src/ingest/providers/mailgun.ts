import { decodeSignature, isHmacOf } from '../verification/hmac.ts';
import { isObject, readProof, textsOf } from '../verification/in-body.ts';
import type { Preset } from '../verification/preset.ts';
import { missed, timestampMismatch } from '../verification/received.ts';
import { givenSecret } from './fields.ts';

/** It tries again for eight hours, with the same signature. */
const TOLERANCE_S = 86_400;

/** Mailgun: the signature is a part of the body, over a timestamp and a token. */
export const mailgun: Preset = {
  name: 'mailgun',
  title: 'Mailgun',
  steps: [
    'Open Mailgun, then Sending → Webhooks, and copy the HTTP webhook signing key here.',
    'Create this source, and add a webhook with its URL.',
  ],
  documentation: 'Mailgun Documentation: Securing webhooks',
  fields: {
    secret: givenSecret('HTTP webhook signing key', 'Sending → Webhooks, or the API security page.'),
  },
  signature: 'HMAC-SHA256 of timestamp and token, hexadecimal, in `signature` of the body.',
  note: 'The rest of the body is not signed. Retries come for hours, so a signature is valid for a day; a token makes one event, even with another `X-Ingest-Idempotency-Key`.',
  secretHeaders: [],
  proofIn: bytes =>
    readProof(bytes, ({ signature }) =>
      isObject(signature)
        ? textsOf(signature, ['timestamp', 'token', 'signature'], 'signature.')
        : missed({ part: 'field_missing', field: 'signature' }),
    ),
  prepare: ({ secrets }) => ({
    async verify(received) {
      const proof = await received.proof();
      if (!proof.ok) return proof.mismatch;
      const { timestamp = '', token = '', signature = '' } = proof.value;
      const mismatch = timestampMismatch(timestamp, 'signature.timestamp', received.now, TOLERANCE_S);
      if (mismatch !== null) return mismatch;
      const given = decodeSignature(signature, 'sha256', 'hex');
      return given !== null && isHmacOf(secrets, 'sha256', [given], [timestamp, token])
        ? null
        : { part: 'signature_differs', where: 'signature.signature', over: 'its timestamp and its token' };
    },
  }),
  isIdAloneSigned: () => true,
  body: {
    typeFrom: { path: 'payload.event-data.event', prefix: 'mailgun.' },
    deliveryId: ['payload.signature.token'],
  },
};
