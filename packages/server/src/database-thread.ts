import { lowerThreadPriority } from './core/threads/thread-priority.ts';
import type { DatabaseCall, DatabaseReply } from './delivery/databases/protocol.ts';
import { serveDatabases } from './delivery/databases/serve-thread.ts';

/** The wiring of the thread that talks to the databases of destinations. */
declare const self: Worker & { onmessage: (event: MessageEvent) => void };

// Where the CPU is short, what comes in goes before what somebody's database answers.
lowerThreadPriority();
serveDatabases({
  post: (message: DatabaseReply) => self.postMessage(message),
  onMessage(handle) {
    self.onmessage = event => handle(event.data as DatabaseCall);
  },
});
