import { createHash } from 'node:crypto';
import { invalid } from '../core/errors.ts';
import type { Limits } from './limits.ts';

const HEADER = 'X-Ingest-Idempotency-Key';

/** The sender's key, checked; null when there is none. */
export function readIdempotencyKey(request: Request, limits: Limits): string | null {
  // The HTTP server has left out the blanks around it; other characters that look like blanks are refused.
  const key = request.headers.get(HEADER);
  if (key === null) return null;
  if (key === '' || key.length > limits.idempotencyKeyLength) {
    throw invalid(HEADER, `The idempotency key must have 1 to ${limits.idempotencyKeyLength} characters.`);
  }
  if (!/^[\x20-\x7e]+$/.test(key)) throw invalid(HEADER, 'The idempotency key must be printable ASCII.');
  return key;
}

/** What a provider calls its delivery, where it can be a key; where it cannot, the delivery has none. */
export function usableKey(text: string, limits: Limits): string | null {
  const key = text.trim();
  return key !== '' && key.length <= limits.idempotencyKeyLength && /^[\x20-\x7e]+$/.test(key) ? key : null;
}

export const hashBody = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
