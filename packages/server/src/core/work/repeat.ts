/**
 * Does the work now and then again and again, never twice at once, whatever becomes of it. Answers how to stop,
 * which waits for the work at hand.
 */
export function repeat(
  everyMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let running: Promise<unknown> | null = null;
  const once = () => {
    running ??= Promise.resolve()
      .then(work)
      .catch(onError)
      .finally(() => {
        running = null;
      });
  };
  once();
  const timer = setInterval(once, everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
