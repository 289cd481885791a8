/** A thread of its own, and what of it the rest of the code may know. */
interface Thread {
  post(message: unknown): void;
  /** Ends it in the middle of whatever it does. */
  end(): void;
}

export function startThread(
  script: URL,
  handlers: { onMessage(message: unknown): void; onFailure(reason: string): void },
): Thread {
  const worker = new Worker(script.href);
  worker.onmessage = event => handlers.onMessage(event.data);
  worker.onerror = event => handlers.onFailure(event.message);
  return { post: message => worker.postMessage(message), end: () => worker.terminate() };
}
