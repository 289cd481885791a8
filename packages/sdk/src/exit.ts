/**
 * The end of a process or a page. A process waits for what is unsent, up to a bound, once it has nothing else to do; a
 * page sends what it has when it is hidden, which is the last that a browser surely tells it.
 */
export function onExit(options: { timeoutMs: number; hasWork(): boolean; flush(): Promise<void> }): {
  isLeaving(): boolean;
  forget(): void;
} {
  const page = globalThis.document as Document | undefined;
  if (page !== undefined) {
    const onHidden = () => void (page.visibilityState === 'hidden' && options.flush());
    page.addEventListener('visibilitychange', onHidden);
    return {
      isLeaving: () => page.visibilityState === 'hidden',
      forget: () => page.removeEventListener('visibilitychange', onHidden),
    };
  }
  const current = globalThis.process as NodeJS.Process | undefined;
  if (typeof current?.on !== 'function') return { isLeaving: () => false, forget() {} };
  let isGivenUp = false;
  const onIdle = () => {
    if (isGivenUp || !options.hasWork()) return;
    // This timer alone keeps the process alive.
    const deadline = setTimeout(() => {
      isGivenUp = true;
    }, options.timeoutMs);
    void options.flush().finally(() => clearTimeout(deadline));
  };
  current.on('beforeExit', onIdle);
  return { isLeaving: () => false, forget: () => void current.off('beforeExit', onIdle) };
}
