import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { seconds } from '../clock.ts';

/**
 * Codes of an authenticator app: TOTP as RFC 6238 has it, with what every app can do (SHA-1, six digits, 30 seconds).
 * SHA-1 is no weakness here: HMAC does not rest on collisions.
 */
const STEP_MS = seconds(30);
const DIGITS = 6;
const SECRET_BYTES = 20;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** 160 bits in base32, as apps take it. */
export const newTotpSecret = (): string => toBase32(randomBytes(SECRET_BYTES));

/** The step that the code belongs to: the present one, or one before or after for clocks that differ; null for none. */
export function stepOfCode(secret: string, code: string, now: number): number | null {
  const present = Math.floor(now / STEP_MS);
  const matches = (step: number) => timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code));
  if (!/^\d{6}$/.test(code)) return null;
  return [present, present - 1, present + 1].find(step => step >= 0 && matches(step)) ?? null;
}

/** The code that an app shows at that moment. */
export const totpCode = (secret: string, at: number): string => codeAt(secret, Math.floor(at / STEP_MS));

function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** What the QR code says: whose account, and the secret. The rest is what apps take where nothing is said. */
export function totpUri(secret: string, email: string): string {
  const label = `Sluice:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=Sluice`;
}

/** Five bits a character, nothing left over in what is made here. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let [bits, held] = [0, 0];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return text;
}

function fromBase32(text: string): Uint8Array {
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  for (const character of text) {
    held = (held << 5) | BASE32.indexOf(character);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
    held &= (1 << bits) - 1;
  }
  return Uint8Array.from(bytes);
}
