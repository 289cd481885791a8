/** Work that can pause between its steps, and what comes of it. */
export type Steps<T> = Generator<void, T, void>;

/** After this long, whoever else waits for the thread is let in. */
const TURN_MS = 10;

/** For a thread on which others wait for answers. */
export async function withPauses<T>(steps: Steps<T>, turnMs = TURN_MS): Promise<T> {
  let began = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - began < turnMs) continue;
    await new Promise(resolve => setImmediate(resolve));
    began = performance.now();
  }
}

/** For a thread that has nothing else to do, or a transaction that others must not come into. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
