import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Secrets at rest: AES-256-GCM under a key derived from `SLUICE_SECRET_KEY`, bound to the organisation, the row and the
 * field they belong to, so that a sealed value copied anywhere else does not open there. A sealed value names its
 * format and its key:
 *
 * | format        | text                                      | bound to                         |
 * |---------------|-------------------------------------------|----------------------------------|
 * | first edition | base64 of nonce, tag, text                | organisation, row                |
 * | 2             | `2.`, id of the key, `.`, base64 likewise | format, organisation, row, field |
 *
 * Base64 has no dot, so neither is ever taken for the other.
 */
export interface Vault {
  /** With the current key. */
  seal(secret: string, place: SecretPlace): string;
  /** With whichever key sealed it. */
  open(sealed: string, place: SecretPlace): string;
  /** Whether it was sealed as it would be today: in the present format, with the current key. */
  isUpToDate(sealed: string): boolean;
  /** A keyed digest for this purpose: signs cursors, hashes redacted values. Always with the current key. */
  digest(purpose: string, text: string): string;
}

/** Where a secret belongs. */
export interface SecretPlace {
  readonly orgId: string;
  readonly id: string;
  /** `secret`, `config.auth.secret`, `steps[0].config.model.api_key`. */
  readonly field: string;
}

/** The key that seals, and while it is being changed the one before it, which still opens. */
export interface SecretKeys {
  readonly present: string;
  readonly previous: string | null;
}

const FORMAT = '2';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_LENGTH = 8;

export function createVault(presentKey: string, previousKey: string | null = null): Vault {
  const present = sealingKey(presentKey);
  const keys = previousKey === null ? [present] : [present, sealingKey(previousKey)];
  const digesting = derive(presentKey, 'digests');

  return {
    seal(secret, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', present.key, nonce);
      cipher.setAAD(bindingOf(place));
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      const bytes = Buffer.concat([nonce, cipher.getAuthTag(), body]);
      return `${FORMAT}.${present.id}.${bytes.toString('base64')}`;
    },
    open(sealed, place) {
      const [format, keyId, text = ''] = sealed.split('.');
      if (keyId === undefined) return openFirstEdition(sealed, place, keys);
      if (format !== FORMAT) throw new Error('It was sealed by a newer version.');
      const named = keys.find(({ id }) => id === keyId);
      if (named === undefined) throw new Error('It was sealed with another secret key.');
      return decipher(named.key, Buffer.from(text, 'base64'), bindingOf(place));
    },
    isUpToDate: sealed => sealed.startsWith(`${FORMAT}.${present.id}.`),
    digest: (purpose, text) => createHmac('sha256', digesting).update(`${purpose}\n${text}`).digest('hex'),
  };
}

interface SealingKey {
  /** Tells keys apart, and nothing about them. */
  readonly id: string;
  readonly key: Buffer;
}

const sealingKey = (secretKey: string): SealingKey => ({
  id: derive(secretKey, 'name of the key').toString('hex').slice(0, KEY_ID_LENGTH),
  key: derive(secretKey, 'sealing'),
});

const derive = (secretKey: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', `sluice ${purpose}`, 32));

/** Neither ids nor names of fields have line breaks. */
const bindingOf = ({ orgId, id, field }: SecretPlace): Buffer =>
  Buffer.from([FORMAT, orgId, id, field].join('\n'));

/** It does not say which key sealed it: each is tried, and the last says why not. */
function openFirstEdition(sealed: string, { orgId, id }: SecretPlace, keys: readonly SealingKey[]): string {
  const bytes = Buffer.from(sealed, 'base64');
  const binding = Buffer.from(`${orgId}\n${id}`);
  let reason: unknown;
  for (const { key } of keys) {
    try {
      return decipher(key, bytes, binding);
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}

function decipher(key: Buffer, bytes: Buffer, binding: Buffer): string {
  const opened = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
  opened.setAAD(binding);
  opened.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return opened.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + opened.final('utf8');
}

/** A fresh secret of 256 bits that reads as one word and is told from others by its prefix. */
export const newSecret = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`;

/** How a secret of our own making is looked up: with 256 bits of chance in it, a plain hash is enough. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');
