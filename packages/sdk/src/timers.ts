/** Timers that keep no process alive: what is unsent at its end is seen to there, with a bound. */
export function startTimer(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  release(timer);
  return () => clearTimeout(timer);
}

export const pause = (ms: number): Promise<void> => new Promise(resolve => release(setTimeout(resolve, ms)));

function release(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref();
}
