import { withReadableUrl } from './request-host.ts';

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

/** To be asked before a request is answered. */
export type PeerOf = (request: Request) => Peer;

interface HttpHandlers {
  ingest(request: Request): Promise<Response>;
  webhook(request: Request, token: string, peerOf: PeerOf): Promise<Response>;
  everythingElse(request: Request, peer: Peer): Response | Promise<Response>;
}

/** Far beyond any limit of ours: over it Bun answers an empty 413 by itself, and ours says more. */
const NEVER_REACHED_BYTES = 2 ** 40;

/** How long a connection may stand still: a sender who does not go on gives his place to another. */
const IDLE_SECONDS = 30;

export function serveHttp(
  options: {
    port: number;
    hostname: string;
    idleSeconds?: number;
    /** From then on each answer also ends its connection, so that whoever keeps some open opens the next elsewhere. */
    isLeaving?: () => boolean;
  },
  handlers: HttpHandlers,
): HttpServer {
  const { isLeaving = () => false } = options;
  const answered = (response: Response | Promise<Response>) => (isLeaving() ? lastOn(response) : response);
  const peerOf: PeerOf = request => ({ address: server.requestIP(request)?.address ?? '' });
  const server: ReturnType<typeof Bun.serve> = Bun.serve({
    port: options.port,
    hostname: options.hostname,
    maxRequestBodySize: NEVER_REACHED_BYTES,
    idleTimeout: options.idleSeconds ?? IDLE_SECONDS,
    routes: {
      '/v1/ingest': request => answered(handlers.ingest(withReadableUrl(request))),
      '/whk/:token': request =>
        answered(handlers.webhook(withReadableUrl(request), request.params.token, peerOf)),
    },
    fetch: request => answered(handlers.everythingElse(withReadableUrl(request), peerOf(request))),
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

/** The last answer on its connection. */
async function lastOn(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set('Connection', 'close');
  return response;
}
