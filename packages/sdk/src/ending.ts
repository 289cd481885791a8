/** The end of a page or a process: the last moment to send what is unsent. */
interface Ending {
  hasWork(): boolean;
  /** Sends what there is. */
  flush(): Promise<void>;
  /** The same, and gives up what takes too long. */
  finish(): Promise<void>;
}

/** Answers how to stop watching. */
export function watchEnding(ending: Ending): () => void {
  const page = pageOf();
  if (page !== undefined) return watchPage(page, ending);
  const running = globalThis.process as NodeJS.Process | undefined;
  return typeof running?.prependListener === 'function' ? watchProcess(running, ending) : () => {};
}

const pageOf = (): Document | undefined => globalThis.document as Document | undefined;

export const isPage = (): boolean => pageOf() !== undefined;

/** A hidden page may never be shown again, and that it is hidden is the last that most browsers tell it. */
function watchPage(page: Document, { flush }: Ending): () => void {
  const onHide = ({ type }: Event) => {
    if (type === 'pagehide' || page.visibilityState === 'hidden') void flush();
  };
  page.addEventListener('visibilitychange', onHide);
  globalThis.addEventListener('pagehide', onHide);
  return () => {
    page.removeEventListener('visibilitychange', onHide);
    globalThis.removeEventListener('pagehide', onHide);
  };
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** Marks the listeners of all clients, of whichever copy of this package. */
const OURS = Symbol.for('sluice.ending');

/**
 * A process that has nothing more to do waits for what is unsent. One that is told to end does so too, and then ends by
 * that signal as it would have without us; where the application listens for the signal itself, the end is its own
 * affair. A second signal ends the process at once.
 */
function watchProcess(running: NodeJS.Process, { hasWork, flush, finish }: Ending): () => void {
  let isFinishing = false;

  const onIdle = () => {
    if (hasWork()) void finish();
  };

  const onSignal = Object.assign(
    async (signal: NodeJS.Signals) => {
      const isUpToUs = running.listeners(signal).every(listener => OURS in listener);
      if (!isUpToUs) return flush();
      if (!isFinishing && hasWork()) {
        isFinishing = true;
        await finish();
      }
      running.off(signal, onSignal);
      if (running.listenerCount(signal) === 0) running.kill(running.pid, signal);
    },
    { [OURS]: true },
  );

  running.on('beforeExit', onIdle);
  // Ahead of the application's own, which may be there for one call only and be gone when ours is asked.
  for (const signal of SIGNALS) running.prependListener(signal, onSignal);
  return () => {
    running.off('beforeExit', onIdle);
    for (const signal of SIGNALS) running.off(signal, onSignal);
  };
}
