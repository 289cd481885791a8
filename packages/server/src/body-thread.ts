import { lowerThreadPriority } from './core/threads/thread-priority.ts';
import type { FromBodyThread, ToBodyThread } from './ingest/reading/protocol.ts';
import { serveBodies } from './ingest/reading/serve-thread.ts';

/** The wiring of the thread that reads large bodies. */
declare const self: Worker & { onmessage: (event: MessageEvent) => void };

// Where the CPU is short, the many small ones go before a large one.
lowerThreadPriority();
serveBodies({
  post: (message: FromBodyThread) => self.postMessage(message),
  onMessage(handle) {
    self.onmessage = event => handle(event.data as ToBodyThread);
  },
});
