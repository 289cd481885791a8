/** What becomes of the work, or null where that takes longer; the work goes on all the same. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | null> {
  const { promise: timeUp, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, ms, null);
  try {
    return await Promise.race([work, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
