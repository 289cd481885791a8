import type { Hono } from 'hono';
import type { SecureHeadersVariables } from 'hono/secure-headers';
import type { Peer } from '../runtime/http.ts';

/** What Hono hands to each route beside the request. */
export interface WebEnv {
  Bindings: Peer & {
    /** It is asked again and again for a page that follows its answer. */
    readonly isFollowed?: true;
  };
  Variables: SecureHeadersVariables;
}

/** A part of the web adds its routes to the one app. */
export type AddRoutes = (app: Hono<WebEnv>) => void;
