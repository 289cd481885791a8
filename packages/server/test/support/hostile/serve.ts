import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterRequest } from '../receiver.ts';
import { createAuthority } from '../tls.ts';
import { hostileDatabases } from './databases.ts';
import { serveSmtp } from './fake-smtp.ts';
import { hostileMailServers } from './mail-servers.ts';
import type { HostileAddress, HostileReceiver } from './receiver.ts';
import { hostileWebServers, WHOLE_ANSWER } from './web-servers.ts';

/**
 * Every hostile receiver, each on a port of its own, until it is killed. A process, so that what it costs to be hostile
 * is not counted among what it costs to bear it. Prints where they are; `GET /open` at its own port says which of them
 * have connections.
 */
const open = new Map<string, Set<Socket>>();

async function listen(
  kind: string,
  what: string,
  { serve, certificate, ...told }: HostileReceiver,
): Promise<HostileAddress> {
  const sockets = new Set<Socket>();
  open.set(`${kind}: ${what}`, sockets);
  const accept = (socket: Socket) => {
    socket.on('error', () => {});
    serve(socket);
  };
  const server = certificate ? createTlsServer(certificate, accept) : createServer(accept);
  // Within TLS as well: what counts is the connection.
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, ...told };
}

async function listenAll(kind: string, receivers: Readonly<Record<string, HostileReceiver>>) {
  const addresses: Record<string, HostileAddress> = {};
  for (const [what, receiver] of Object.entries(receivers))
    addresses[what] = await listen(kind, what, receiver);
  return addresses;
}

/** Well behaved, but that its nth connection is reset after n bytes. */
function resettingLater(serve: (socket: Socket) => void): HostileReceiver {
  let connections = 0;
  return {
    outcome: 'either',
    serve(socket) {
      let left = connections++;
      const write = socket.write.bind(socket);
      socket.write = ((bytes: Buffer | string) => {
        const some = Buffer.from(bytes).subarray(0, left);
        left -= some.length;
        return left > 0 ? write(some) : write(some, () => socket.resetAndDestroy());
      }) as Socket['write'];
      serve(socket);
    },
  };
}

const [authority, stranger] = [createAuthority(), createAuthority()];
const control = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => Response.json([...open].flatMap(([what, sockets]) => (sockets.size > 0 ? [what] : []))),
});
const places = {
  control: `http://127.0.0.1:${control.port}/open`,
  ca: authority.ca,
  databases: await listenAll('database', hostileDatabases),
  mailServers: await listenAll('mail server', hostileMailServers(authority, stranger)),
  webServers: await listenAll('web server', hostileWebServers(authority, stranger)),
  resettingMailServer: await listen('mail server', 'resetting', resettingLater(serveSmtp({}))),
  resettingWebServer: await listen(
    'web server',
    'resetting',
    resettingLater(afterRequest(socket => void socket.write(WHOLE_ANSWER))),
  ),
};
export type HostilePlaces = typeof places;
console.log(JSON.stringify(places));
