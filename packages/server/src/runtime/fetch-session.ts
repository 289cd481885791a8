/**
 * Bun's outgoing HTTP, and what of it the rest of the code may know. A session has its own keep-alive pool, which
 * it shares with no other session; proxies of the environment are never asked, redirects never followed,
 * certificates always verified, and bodies come as they were sent.
 */
interface FetchSession {
  fetch(url: string, init: RequestInit): Promise<Response>;
  close(): void;
}

export function openFetchSession(options: {
  readonly serverName: string | null;
  /** Trusted in place of the certificates that come with the runtime. */
  readonly ca?: string;
}): FetchSession {
  const { serverName, ca } = options;
  const session = new Bun.FetchSession({
    proxy: false,
    keepAlive: { idleTimeout: 60 },
    tls: { rejectUnauthorized: true, ...(serverName === null ? {} : { serverName }), ...(ca ? { ca } : {}) },
  });
  return {
    fetch: (url, init) => session.fetch(url, { ...init, redirect: 'manual', decompress: false }),
    close: () => session.close(),
  };
}
