import type { MiddlewareHandler } from 'hono';

/** On every answer of the dashboard, errors included. */
const always = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Nothing in a private call's answer is ever to be run, shown or framed by a browser. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

export const privateHeaders: MiddlewareHandler = async (context, next) => {
  await next();
  secure(context.res.headers, API_POLICY);
  // A key does not open these doors, so do not ask for one.
  context.res.headers.delete('WWW-Authenticate');
};

export function secure(headers: Headers, policy: string): void {
  for (const [name, value] of Object.entries(always)) headers.set(name, value);
  headers.set('Content-Security-Policy', policy);
}
