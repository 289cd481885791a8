import { Problem } from '../core/errors.ts';

/** What a request shows of who sends it, and the refusal where that is not enough. */

/** The same words whatever was wrong: absent, unknown, revoked, or another scheme. The reason stays with us. */
export const unauthenticated = (reason?: string) => new Problem('unauthenticated', { reason });

export function bearerOf(request: Pick<Request, 'headers'>): string | null {
  const header = request.headers.get('authorization');
  if (header === null || header.charCodeAt(6) !== 0x20) return null;
  return header.slice(0, 6).toLowerCase() === 'bearer' ? header.slice(7).trim() : null;
}
