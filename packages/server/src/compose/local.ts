import { join, resolve } from 'node:path';
import { LOCAL_SOCKET } from '@sluice/contract/local';
import type { HttpServer } from '../runtime/http.ts';
import { serveLocalSocket } from '../runtime/local-socket.ts';
import { createLocalRoutes } from '../web/local.ts';
import type { Foundation } from './foundation.ts';
import type { Part } from './part.ts';
import type { StoragePart } from './storage.ts';

/**
 * The socket in the data directory, for commands beside the service. Only where the directory is its own: nodes that
 * share a database may share a folder, too.
 */
export function composeLocal({ settings, clock, warn }: Foundation, { engine, live }: StoragePart): Part {
  const { accounts, journal } = engine;
  let socket: Pick<HttpServer, 'stop'> | null = null;
  return {
    start() {
      if (engine.capabilities.isShared) return;
      try {
        const path = join(resolve(settings.SLUICE_DATA_DIR), LOCAL_SOCKET);
        socket = serveLocalSocket(path, createLocalRoutes({ accounts, journal, live, clock }));
      } catch (error) {
        // A folder whose path is too long for a socket, or a file system without them: everything else works.
        warn('the socket of commands beside the service could not be made')(error);
      }
    },
    async stop() {
      await socket?.stop();
    },
  };
}
