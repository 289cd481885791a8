import { connect, createServer, type Socket } from 'node:net';

/**
 * An address that stays while the server behind it comes and goes, as a load balancer's does, and that can fail in
 * ways of its own.
 */
export interface Front {
  readonly url: string;
  /** What becomes of connections from now on; those that stand are cut. */
  become(behaviour: Behaviour): void;
  /** How many requests each kind of behaviour has met; of `forward` and `swallow`, how many were answered with 202. */
  readonly seen: Readonly<Record<Behaviour['kind'], number>>;
  close(): void;
}

export type Behaviour =
  | { readonly kind: 'forward'; readonly port: number }
  /** The server gets the request, and nobody gets its answer. */
  | { readonly kind: 'swallow'; readonly port: number }
  | { readonly kind: 'hang' }
  /** 503, and what asked for it need not wait. */
  | { readonly kind: 'fail' }
  | { readonly kind: 'away' };

const UNAVAILABLE =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

export async function startFront(): Promise<Front> {
  const seen = { forward: 0, swallow: 0, hang: 0, fail: 0, away: 0 };
  const sockets = new Set<Socket>();
  let behaviour: Behaviour = { kind: 'away' };

  const keep = (socket: Socket) => {
    sockets.add(socket);
    // A cut connection is what these tests are about.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };

  function pass(client: Socket, kind: 'forward' | 'swallow', port: number): void {
    const server = keep(connect(port, '127.0.0.1'));
    client.on('data', chunk => void server.write(chunk));
    server.on('data', chunk => {
      seen[kind] += chunk.toString('latin1').match(/^HTTP\/1\.1 202 /gm)?.length ?? 0;
      if (kind === 'forward') client.write(chunk);
    });
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  const listener = createServer(client => {
    keep(client);
    switch (behaviour.kind) {
      case 'forward':
      case 'swallow':
        return pass(client, behaviour.kind, behaviour.port);
      case 'hang':
        return void client.once('data', () => seen.hang++);
      case 'fail':
        return void client.once('data', () => {
          seen.fail++;
          client.end(UNAVAILABLE);
        });
      case 'away':
        seen.away++;
        client.destroy();
    }
  });
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    become(next) {
      behaviour = next;
      cut();
    },
    close() {
      listener.close();
      cut();
    },
  };
}
