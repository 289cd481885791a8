import { lowerThreadPriority } from './core/threads/thread-priority.ts';
import { findDestinationKind } from './delivery/destinations/registry.ts';
import type { RenderingCall, RenderingReply } from './delivery/rendering/rendering-protocol.ts';
import { serveRendering } from './delivery/rendering/serve-rendering.ts';

/** The wiring of the thread that renders large deliveries. */
declare const self: Worker & { onmessage: (event: MessageEvent) => void };

// Where the CPU is short, what comes in goes before what goes out.
lowerThreadPriority();
serveRendering(
  {
    post: (message: RenderingReply) => self.postMessage(message),
    onMessage(handle) {
      self.onmessage = event => handle(event.data as RenderingCall);
    },
  },
  findDestinationKind,
);
