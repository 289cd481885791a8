import { decodeSignature, isHmacOf } from '../verification/hmac.ts';
import { isObject, readProof } from '../verification/in-body.ts';
import type { Mismatch, Verdict } from '../verification/mismatch.ts';
import type { Preset } from '../verification/preset.ts';
import { found, missed, type Received, singleHeader } from '../verification/received.ts';
import { givenSecret } from './fields.ts';

/** Adyen: payments sign fields of their one item, inside the body; its platforms sign the body, in a header. */
const HEADER = 'hmacsignature';
const PLACE = 'notificationItems[0].NotificationRequestItem';

/** In this order; one that is absent is signed as an empty text. */
const SIGNED = ['pspReference', 'originalReference', 'merchantAccountCode', 'merchantReference'];

const keyOf = (secret: string): Uint8Array | null =>
  /^([0-9a-fA-F]{2})+$/.test(secret) ? Buffer.from(secret, 'hex') : null;

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

function judge(
  keys: readonly Uint8Array[],
  text: string,
  where: string,
  signed: string | Uint8Array,
): Verdict {
  const signature = decodeSignature(text, 'sha256', 'base64');
  const over = typeof signed === 'string' ? 'the fields of this item' : 'this body';
  return signature !== null && isHmacOf(keys, 'sha256', [signature], [signed])
    ? null
    : { part: 'signature_differs', where, over };
}

async function verify(keys: readonly Uint8Array[], received: Received): Promise<Verdict> {
  if (received.headers.has(HEADER)) {
    const given = singleHeader(received.headers, HEADER);
    return given.ok ? judge(keys, given.value, HEADER, received.bytes) : given.mismatch;
  }
  const proof = await received.proof();
  if (!proof.ok) return proof.mismatch;
  return judge(keys, proof.value.signature ?? '', 'hmacSignature', proof.value.signed ?? '');
}

const missing = (field: string): Mismatch => ({ part: 'field_missing', field });

export const adyen: Preset = {
  name: 'adyen',
  title: 'Adyen',
  steps: [
    'Open the Adyen Customer Area, then Developers → Webhooks → Standard webhook.',
    'Under Security generate an HMAC key, and paste it here.',
    'Create this source, and paste its URL as the server configuration’s URL, in JSON.',
  ],
  documentation: 'Adyen Docs: Verify HMAC signatures',
  fields: { secret: givenSecret('HMAC key', 'Hexadecimal, shown once, when it is generated.') },
  signature:
    'HMAC-SHA256 of fields of the item, base64, in its `additionalData.hmacSignature`; of the body, in `hmacsignature`.',
  note: 'What payments sign is their references, amount, event code and success; the rest of the body is not signed. Answered with 200 and `[accepted]`.',
  secretHeaders: [HEADER],
  proofIn: bytes =>
    readProof(bytes, ({ notificationItems: items }) => {
      const first: unknown = Array.isArray(items) && items.length === 1 ? items[0] : undefined;
      const item = isObject(first) ? first.NotificationRequestItem : undefined;
      if (!isObject(item)) return missed(missing(PLACE));
      const { additionalData, amount } = item;
      const signature = isObject(additionalData) ? textOf(additionalData.hmacSignature) : '';
      if (signature === '') return missed(missing(`${PLACE}.additionalData.hmacSignature`));
      const { value, currency } = isObject(amount) ? amount : {};
      const fields = [...SIGNED.map(name => item[name]), value, currency, item.eventCode, item.success];
      return found({ signature, signed: fields.map(textOf).join(':') });
    }),
  prepare({ secrets }) {
    const keys = secrets.map(keyOf).filter(key => key !== null);
    return { verify: received => verify(keys, received) };
  },
  check: ({ secrets }) =>
    secrets.every(secret => keyOf(secret) !== null)
      ? null
      : { field: 'secret', message: 'secret must be hexadecimal, as Adyen shows it.' },
  answer: () => new Response('[accepted]'),
  isIdAloneSigned: headers => !headers.has(HEADER),
  body: {
    typeFrom: { path: `payload.${PLACE}.eventCode`, prefix: 'adyen.' },
    // What comes again has all of them in common.
    deliveryId: [`payload.${PLACE}.pspReference`, `payload.${PLACE}.eventCode`, `payload.${PLACE}.success`],
  },
};
