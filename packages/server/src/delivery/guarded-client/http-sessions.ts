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
  const sessions = new Map<string, HttpSession>();
  return {
    for(origin, serverName) {
      const known = sessions.get(origin);
      if (known) {
        // Moved to the end, so that the first is always the one that nobody has used for longest.
        sessions.delete(origin);
        sessions.set(origin, known);
        return known;
      }
      const [oldest] = sessions.keys();
      if (sessions.size >= MOST_OPEN && oldest !== undefined) {
        sessions.get(oldest)?.close();
        sessions.delete(oldest);
      }
      const made = open({ serverName });
      sessions.set(origin, made);
      return made;
    },
    close() {
      for (const session of sessions.values()) session.close();
      sessions.clear();
    },
  };
}
