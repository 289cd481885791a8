import { createPublicKey, verify as isVerified, type KeyObject } from 'node:crypto';
import { isObject, questionIn } from '../verification/in-body.ts';
import type { Preset } from '../verification/preset.ts';
import { type Received, singleHeader } from '../verification/received.ts';

/** Discord: interactions and events of an application, signed with its key pair. */
const SIGNATURE = 'x-signature-ed25519';
const TIMESTAMP = 'x-signature-timestamp';

/** What stands before the 32 bytes of an Ed25519 key in its DER form. */
const DER_PREFIX = '302a300506032b6570032100';

const publicKeyOf = (text: string): KeyObject | null =>
  /^[0-9a-fA-F]{64}$/.test(text)
    ? createPublicKey({ key: Buffer.from(DER_PREFIX + text, 'hex'), format: 'der', type: 'spki' })
    : null;

/** Interactions ask with type 1, events of an application with type 0; there type 1 has an event inside. */
function answerPing({ bytes }: Received): Response | null {
  const question = questionIn(bytes, '"type"');
  if (!isObject(question)) return null;
  if (question.type === 0) return new Response(null, { status: 204 });
  return question.type === 1 && question.event === undefined ? Response.json({ type: 1 }) : null;
}

export const discord: Preset = {
  name: 'discord',
  title: 'Discord',
  steps: [
    'Open your application in the Discord Developer Portal and copy its public key here.',
    'Create this source.',
    'Paste its URL as the interactions endpoint URL, or under Webhooks → Endpoint URL; Discord verifies it immediately.',
  ],
  documentation: 'Discord Developer Documentation: Receiving and responding; Webhook events',
  fields: {
    public_key: {
      label: 'Public key',
      hint: 'General Information of the application, 64 hexadecimal characters.',
    },
  },
  signature: 'Ed25519 over timestamp and body, hexadecimal, in `x-signature-ed25519`.',
  note: 'A PING is answered and creates no event; whatever else comes is answered with 204.',
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
        if (!/^[0-9a-fA-F]{128}$/.test(signature.value))
          return { part: 'header_malformed', header: SIGNATURE, expected: '128 hexadecimal characters' };
        const signed = Buffer.concat([Buffer.from(timestamp.value), bytes]);
        return key !== null && isVerified(null, signed, key, Buffer.from(signature.value, 'hex'))
          ? null
          : { part: 'signature_differs', where: SIGNATURE, over: 'its timestamp and this body' };
      },
      confirm: answerPing,
    };
  },
  check: ({ publicKey }) =>
    publicKeyOf(publicKey ?? '') === null
      ? { field: 'public_key', message: 'public_key must have 64 hexadecimal characters.' }
      : null,
  answer: () => new Response(null, { status: 204 }),
  body: { typeFrom: { path: 'payload.type', prefix: 'discord.' }, deliveryId: ['payload.id'] },
};
