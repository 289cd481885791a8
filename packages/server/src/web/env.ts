import type { Hono } from 'hono';
import type { SecureHeadersVariables } from 'hono/secure-headers';
import type { Peer } from '../runtime/http.ts';

/** What Hono hands to each route beside the request. */
export interface WebEnv {
  Bindings: Peer;
  Variables: SecureHeadersVariables;
}

/** A part of the web adds its routes to the one app. */
export type AddRoutes = (app: Hono<WebEnv>) => void;
