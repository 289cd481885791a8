import { createServer, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer } from 'node:tls';
import type { KeyAndCertificate } from './tls.ts';

/** What a receiver of deliveries saw, in the order it came. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

export interface Receiver {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  stop(): Promise<void>;
}

export type Respond = (request: ReceivedRequest) => Response | Promise<Response>;

/** A well-behaved receiver on the loopback: it keeps what it gets, and answers as it is told. */
export function startReceiver(
  respond: Respond = () => new Response('ok'),
  tls?: KeyAndCertificate,
): Receiver {
  const requests: ReceivedRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    ...(tls ? { tls } : {}),
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const seen = {
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        body: await request.text(),
      };
      requests.push(seen);
      return respond(seen);
    },
  });
  const port = server.port ?? 0;
  return {
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    stop: () => server.stop(true),
  };
}

export interface RawReceiver {
  readonly port: number;
  /** Connections that were ever made. */
  readonly connections: () => number;
  /** Connections that are open now. */
  readonly open: () => number;
  stop(): Promise<void>;
}

/** A receiver that has the bare socket, to misbehave with. */
export async function startRawReceiver(handle: (socket: Socket) => void): Promise<RawReceiver> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    handle(socket);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    connections: () => connections,
    open: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Answers every request with these bytes, after the whole of a small request has come in. */
export const afterRequest =
  (answer: (socket: Socket) => void) =>
  (socket: Socket): void => {
    let seen = '';
    socket.on('data', chunk => {
      seen += chunk.toString('latin1');
      const [head = '', body] = seen.split('\r\n\r\n');
      if (body === undefined) return;
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body.length < length) return;
      seen = '';
      answer(socket);
    });
  };

export interface NamedTlsReceiver {
  readonly port: number;
  /** For each request: the connection it came over, the name that connection was made for, the name it asked for. */
  readonly requests: readonly { connection: number; serverName: string; host: string }[];
  stop(): Promise<void>;
}

/** Several names with a certificate each, all on one address and port. */
export async function startNamedTlsReceiver(
  certificates: Readonly<Record<string, KeyAndCertificate>>,
): Promise<NamedTlsReceiver> {
  const requests: { connection: number; serverName: string; host: string }[] = [];
  const contexts = new Map(
    Object.entries(certificates).map(([name, pair]) => [name, createSecureContext(pair)] as const),
  );
  const [fallback] = Object.values(certificates);
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createTlsServer(
    { ...fallback, SNICallback: (name, done) => done(null, contexts.get(name)) },
    socket => {
      const connection = ++connections;
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
      socket.on('data', chunk => {
        const host = /\r\nhost: ([^\r]+)/i.exec(chunk.toString('latin1'))?.[1] ?? '';
        requests.push({ connection, serverName: String(socket.servername), host });
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    },
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    requests,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
