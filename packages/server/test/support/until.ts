/** Asked often at first, then less: most of what is waited for takes a moment, the rest should have the machine. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

/** Waits for a condition, and fails with this sentence when it does not come true. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  otherwise: string,
  withinMs = 120_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  for (let pauseMs = FIRST_PAUSE_MS; !(await holds()); pauseMs = Math.min(pauseMs * 1.2, LONGEST_PAUSE_MS)) {
    if (performance.now() > deadline) throw new Error(otherwise);
    await new Promise(resolve => setTimeout(resolve, pauseMs));
  }
}
