/** Waits for a condition, and fails with this sentence when it does not come true. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  otherwise: string,
  withinMs = 20_000,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(otherwise);
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
