import { rmSync } from 'node:fs';
import type { HttpServer } from './http.ts';

/** Longer than the pause between two signs of life of a feed, which Bun's own 10 seconds are not. */
export const LOCAL_IDLE_SECONDS = 30;

/**
 * HTTP on a Unix socket that nobody else may open. The caller has the folder to itself, so that a socket which is there
 * already was left behind by a process that was killed, and is replaced.
 */
export function serveLocalSocket(
  path: string,
  handle: (request: Request) => Promise<Response>,
  { idleSeconds = LOCAL_IDLE_SECONDS } = {},
): Pick<HttpServer, 'stop'> {
  rmSync(path, { force: true });
  // Not changed afterwards: from the first moment on it is for its owner alone.
  const before = process.umask(0o177);
  try {
    // Its types know an idle time for ports alone; what a request can be given by itself has no effect on a socket.
    const options = { unix: path, fetch: handle, idleTimeout: idleSeconds };
    const server = Bun.serve(options as Omit<typeof options, 'idleTimeout'>);
    return {
      async stop() {
        await server.stop(true);
        rmSync(path, { force: true });
      },
    };
  } finally {
    process.umask(before);
  }
}
