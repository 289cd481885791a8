import type { MiddlewareHandler } from 'hono';
import { every } from 'hono/combine';
import { NONCE, secureHeaders } from 'hono/secure-headers';

/**
 * Security headers of the dashboard's answers, errors included. Strict-Transport-Security is the affair of whoever
 * terminates TLS in front; the others that are off mean nothing to browsers of today.
 */
const shared = {
  xFrameOptions: 'DENY',
  originAgentCluster: false,
  strictTransportSecurity: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} as const;

const NOTHING = ["'none'"];
const OURS = ["'self'"];

const noStore: MiddlewareHandler = async (context, next) => {
  await next();
  context.res.headers.set('Cache-Control', 'no-store');
};

/** An API key is of no use for private calls, so no answer asks for one. */
const withoutChallenge: MiddlewareHandler = async (context, next) => {
  await next();
  context.res.headers.delete('WWW-Authenticate');
};

/** Nothing in a private call's answer is ever to be run, shown or framed by a browser. */
export const privateHeaders: MiddlewareHandler = every(
  secureHeaders({
    ...shared,
    contentSecurityPolicy: {
      defaultSrc: NOTHING,
      frameAncestors: NOTHING,
      baseUri: NOTHING,
      formAction: NOTHING,
    },
  }),
  noStore,
  withoutChallenge,
);

/** Nothing but what this server sends: no other host, no script in the page, no style without the page's nonce. */
export const documentHeaders: MiddlewareHandler = every(
  secureHeaders({
    ...shared,
    contentSecurityPolicy: {
      defaultSrc: NOTHING,
      scriptSrc: OURS,
      styleSrc: [...OURS, NONCE],
      imgSrc: [...OURS, 'data:'],
      fontSrc: OURS,
      connectSrc: OURS,
      frameAncestors: NOTHING,
      baseUri: NOTHING,
      formAction: OURS,
    },
  }),
  noStore,
);

/** A file says for itself how long it may be kept. */
export const assetHeaders: MiddlewareHandler = secureHeaders({
  ...shared,
  contentSecurityPolicy: { defaultSrc: NOTHING },
});
