/** `Bun.serve`, and what of it the rest of the code may know. */
export interface HttpServer {
  readonly port: number;
  /** Takes no new connections; resolves when every request that was begun has been answered. */
  stop(): Promise<void>;
  /** Cuts what is still open. */
  cut(): Promise<void>;
}

export interface Peer {
  readonly address: string;
}

interface HttpHandlers {
  ingest(request: Request): Promise<Response>;
  webhook(request: Request, token: string): Promise<Response>;
  everythingElse(request: Request, peer: Peer): Response | Promise<Response>;
}

/** Far beyond any limit of ours: over it Bun answers an empty 413 by itself, and ours says more. */
const NEVER_REACHED_BYTES = 2 ** 40;

/** How long a connection may stand still: a sender who does not go on gives his place to another. */
const IDLE_SECONDS = 30;

export function serveHttp(
  options: { port: number; hostname: string; idleSeconds?: number },
  handlers: HttpHandlers,
): HttpServer {
  const server = Bun.serve({
    port: options.port,
    hostname: options.hostname,
    maxRequestBodySize: NEVER_REACHED_BYTES,
    idleTimeout: options.idleSeconds ?? IDLE_SECONDS,
    routes: {
      '/v1/ingest': request => handlers.ingest(request),
      '/whk/:token': request => handlers.webhook(request, request.params.token),
    },
    fetch: (request, bun) =>
      handlers.everythingElse(request, { address: bun.requestIP(request)?.address ?? '' }),
    error: () =>
      Response.json(
        { error: { message: 'Something went wrong on our side.', code: 'internal' } },
        { status: 500 },
      ),
  });
  return {
    port: server.port ?? options.port,
    stop: () => server.stop(false),
    cut: () => server.stop(true),
  };
}
