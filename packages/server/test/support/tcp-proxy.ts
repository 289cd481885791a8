import { createConnection, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** The network between two programs, which a test can cut without either of them being told. */
export interface TcpProxy {
  readonly port: number;
  /** How often something was sent to the target. */
  sent(): number;
  /** From now on nothing gets through, in either direction; connections are still taken. */
  cut(): void;
  /** New connections get through again; those of before stay dead. */
  restore(): void;
  stop(): Promise<void>;
}

/** With a delay, everything takes that much longer to the target. */
export function startTcpProxy(target: number, { delayMs = 0 } = {}): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let sent = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer(near => {
    keep(near);
    if (isCut) return void near.pause();
    const far = createConnection(target, '127.0.0.1');
    keep(far);
    const way = new Transform({
      transform(chunk, _encoding, pass) {
        sent++;
        if (delayMs === 0) pass(null, chunk);
        else setTimeout(() => pass(null, chunk), delayMs);
      },
    });
    near.pipe(way).pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address ? address.port : 0,
        sent: () => sent,
        cut() {
          isCut = true;
          for (const socket of sockets) socket.unpipe().pause();
        },
        restore() {
          isCut = false;
        },
        stop: () =>
          new Promise<void>(stopped => {
            for (const socket of sockets) socket.destroy();
            server.close(() => stopped());
          }),
      });
    });
  });
}
