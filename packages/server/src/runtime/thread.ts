import { threadScript } from '../core/threads/script.ts';

/** A thread of its own, and what of it the rest of the code may know. */
interface Thread<Sent> {
  /** What is moved has no bytes on this side any more, and need not be copied. */
  post(message: Sent, moved?: ArrayBuffer[]): void;
  /** Ends it in the middle of whatever it does. */
  end(): void;
}

/** What goes over either way is what the script and its starter have agreed on. */
export function startThread<Sent, Received>(
  script: URL,
  handlers: { onMessage(message: Received): void; onFailure(reason: string): void },
): Thread<Sent> {
  const worker = new Worker(threadScript(script));
  worker.onmessage = event => handlers.onMessage(event.data as Received);
  worker.onerror = event => handlers.onFailure(event.message);
  return {
    post: (message, moved = []) => worker.postMessage(message, moved),
    end: () => worker.terminate(),
  };
}
