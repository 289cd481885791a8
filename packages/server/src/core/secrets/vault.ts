import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Secrets at rest: AES-256-GCM under a key derived from `SLUICE_SECRET_KEY`, bound to the organisation and row
 * they belong to, so that a sealed value copied to another row does not open there.
 */
export interface Vault {
  seal(secret: string, ...belongsTo: string[]): string;
  open(sealed: string, ...belongsTo: string[]): string;
  /** A keyed digest for this purpose: signs cursors, hashes redacted values. */
  digest(purpose: string, text: string): string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createVault(secretKey: string): Vault {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secretKey, '', `sluice ${purpose}`, 32));
  const sealing = derive('sealing');
  const digesting = derive('digests');

  return {
    seal(secret, ...belongsTo) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce);
      cipher.setAAD(Buffer.from(belongsTo.join('\n')));
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed, ...belongsTo) {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(belongsTo.join('\n')));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return (
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      );
    },
    digest: (purpose, text) => createHmac('sha256', digesting).update(`${purpose}\n${text}`).digest('hex'),
  };
}

/** A fresh secret of 256 bits that reads as one word and is told from others by its prefix. */
export const newSecret = (prefix: string): string => `${prefix}_${randomBytes(32).toString('base64url')}`;

/** How a secret of our own making is looked up: with 256 bits of chance in it, a plain hash is enough. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');
