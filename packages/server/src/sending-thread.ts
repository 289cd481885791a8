import { systemClock } from './core/clock.ts';
import { lowerThreadPriority } from './core/threads/thread-priority.ts';
import { createDatabaseThread } from './delivery/databases/database-thread.ts';
import { findDestinationKind } from './delivery/destinations/registry.ts';
import { createGuardedClient } from './delivery/guarded-client/client.ts';
import { prepareDestination } from './delivery/prepare-destination.ts';
import { createRenderingThread } from './delivery/rendering/rendering-thread.ts';
import { createTemplateRenderer } from './delivery/rendering/template-renderer.ts';
import type { SendingCall, SendingReply } from './delivery/sending/sending-protocol.ts';
import { serveSending } from './delivery/sending/serve-sending.ts';
import { openFetchSession } from './runtime/fetch-session.ts';
import { startThread } from './runtime/thread.ts';

/** The wiring of a thread that sends: the same way out as from the main thread, with connections of its own. */
declare const self: Worker & { onmessage: (event: MessageEvent) => void };

// Where the CPU is short, what comes in goes before what goes out, and that before what is begun.
lowerThreadPriority('sending');
serveSending(
  {
    post: (message: SendingReply) => self.postMessage(message),
    onMessage(handle) {
      self.onmessage = event => handle(event.data as SendingCall);
    },
  },
  ({ allowAddresses, allowHttp, egressAddresses }, onError) => {
    const clock = systemClock;
    const client = createGuardedClient({ allowAddresses, allowHttp, clock, openSession: openFetchSession });
    const rendering = createRenderingThread({
      start: handlers => startThread(new URL('./rendering-thread.ts', import.meta.url), handlers),
      onError,
    });
    const databases = createDatabaseThread({
      start: handlers => startThread(new URL('./database-thread.ts', import.meta.url), handlers),
      onError,
    });
    const renderer = createTemplateRenderer(rendering);
    // Whoever listens is connected to the main thread, which sends to listeners itself.
    const listeners = { find: () => undefined };
    const deps = { client, clock, renderer, databases, listeners, egressAddresses };
    return (name, config) => {
      const kind = findDestinationKind(name);
      if (kind === undefined) throw new Error(`There is no destination of the kind ${name}.`);
      return prepareDestination(kind, config, deps);
    };
  },
);
