import { Problem } from '../../core/errors.ts';
import type { Client } from '../client.ts';

/**
 * A page of another origin can make a browser send our cookie along, but neither our header (that takes a
 * preflight, which we never grant) nor a false `Sec-Fetch-Site` or `Origin`.
 */
export function requireSameOrigin(request: Request, client: Client): void {
  if (request.headers.get('x-sluice-csrf') !== '1') {
    throw new Problem('csrf_rejected', { message: 'The header X-Sluice-CSRF: 1 is missing.' });
  }
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  if (site !== null ? site !== 'same-origin' : origin !== null && !isOurs(origin, request, client)) {
    throw new Problem('csrf_rejected');
  }
}

/** By host alone: behind a proxy that is not trusted we cannot know the scheme. */
function isOurs(origin: string, request: Request, client: Client): boolean {
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return host === new URL(request.url).host || origin === new URL(client.baseUrl).origin;
}
