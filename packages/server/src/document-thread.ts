import { lowerThreadPriority } from './core/threads/thread-priority.ts';
import type { DocumentCall } from './web/dashboard/configuration/document-thread.ts';
import { answerDocumentCall } from './web/dashboard/configuration/serve-documents.ts';

/** The wiring of the thread that reads and writes configuration files. */
declare const self: Worker & { onmessage: (event: MessageEvent) => void };

// Where the CPU is short, events go before files.
lowerThreadPriority();
self.onmessage = event => self.postMessage(answerDocumentCall(event.data as DocumentCall));
