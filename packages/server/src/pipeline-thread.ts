import { lowerThreadPriority } from './core/threads/thread-priority.ts';
import type { FromThread, ToThread } from './pipeline/thread/protocol.ts';
import { serveThread } from './pipeline/thread/serve-thread.ts';
import { compileRoutes } from './routing/match.ts';

/** The wiring of the thread that runs pipelines. */
declare const self: Worker & { onmessage: (event: MessageEvent) => void };

// Where the CPU is short, what comes in goes before what is made of it.
lowerThreadPriority();
serveThread(
  {
    post: (message: FromThread) => self.postMessage(message),
    onMessage(handle) {
      self.onmessage = event => handle(event.data as ToThread);
    },
  },
  { compileRoutes },
);
