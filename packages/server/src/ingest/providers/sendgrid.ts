import { createPublicKey, verify as isVerified, type KeyObject } from 'node:crypto';
import type { Preset } from '../verification/preset.ts';
import { singleHeader } from '../verification/received.ts';

/** SendGrid: lists of events, signed with a key pair. */
const SIGNATURE = 'x-twilio-email-event-webhook-signature';
const TIMESTAMP = 'x-twilio-email-event-webhook-timestamp';

/** As SendGrid shows it, in base64, or as PEM. */
function publicKeyOf(text: string): KeyObject | null {
  try {
    const key = text.includes('BEGIN')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ec' ? key : null;
  } catch {
    return null;
  }
}

export const sendgrid: Preset = {
  name: 'sendgrid',
  title: 'SendGrid',
  steps: [
    'Open SendGrid, then Settings → Mail Settings → Event Webhooks → Create new webhook.',
    'Enable the signed event webhook and paste its verification key here.',
    'Create this source, and paste its URL as the post URL.',
  ],
  documentation: 'Twilio SendGrid Docs: Event Webhook security features',
  fields: {
    public_key: { label: 'Verification key', hint: 'The public key that SendGrid shows, in base64.' },
  },
  signature: 'ECDSA P-256 over the timestamp and the body, in `x-twilio-email-event-webhook-signature`.',
  note: 'Each item of a list becomes one event. Retries may come for a day, so timestamps are not checked against the clock.',
  secretHeaders: [SIGNATURE],
  requiredHeaders: [SIGNATURE, TIMESTAMP],
  prepare({ publicKey }) {
    const key = publicKeyOf(publicKey ?? '');
    return {
      verify({ headers, bytes }) {
        const signature = singleHeader(headers, SIGNATURE);
        if (!signature.ok) return signature.mismatch;
        const timestamp = singleHeader(headers, TIMESTAMP);
        if (!timestamp.ok) return timestamp.mismatch;
        const signed = Buffer.concat([Buffer.from(timestamp.value), bytes]);
        return key !== null && isVerified('sha256', signed, key, Buffer.from(signature.value, 'base64'))
          ? null
          : { part: 'signature_differs', where: SIGNATURE, over: 'its timestamp and this body' };
      },
    };
  },
  check: ({ publicKey }) =>
    publicKeyOf(publicKey ?? '') === null
      ? {
          field: 'public_key',
          message: 'public_key must be an ECDSA public key in base64, as SendGrid shows it.',
        }
      : null,
  body: { each: { id: ['payload.sg_event_id'] } },
};
