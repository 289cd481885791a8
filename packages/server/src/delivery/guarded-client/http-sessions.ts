import { LRUCache } from 'lru-cache';

/**
 * Keep-alive connections, kept apart by the name they were made for. Two names on one address (or one name's
 * address under another's certificate) never share a connection, since each name has a session of its own.
 */
interface HttpSession {
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Closes idle connections; what is in flight finishes. */
  close(): void;
}

/** `serverName`: what the certificate must be for; null where the URL's own address is. */
export type OpenHttpSession = (options: { readonly serverName: string | null }) => HttpSession;

export interface HttpSessions {
  for(origin: string, serverName: string | null): HttpSession;
  close(): void;
}

const MOST_OPEN = 1_000;

export function createHttpSessions(open: OpenHttpSession): HttpSessions {
  const sessions = new LRUCache<string, HttpSession>({ max: MOST_OPEN, dispose: session => session.close() });
  return {
    for(origin, serverName) {
      const known = sessions.get(origin);
      if (known) return known;
      const made = open({ serverName });
      sessions.set(origin, made);
      return made;
    },
    close: () => sessions.clear(),
  };
}
