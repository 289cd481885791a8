/**
 * Whether the server answers. It is asked for a sign of life every few seconds, and at once when something did not
 * arrive: a server that is gone takes no page away, and somebody has to say that its figures are old.
 */
const EVERY_MS = 5_000;
/** While it is lost; with the longest wait for an answer it is noticed within five seconds that it is back. */
const EVERY_MS_WHILE_LOST = 1_500;
const LONGEST_WAIT_MS = 3_000;

type Connection = { readonly kind: 'there' } | { readonly kind: 'lost'; readonly lastHeard: number };

const there: Connection = { kind: 'there' };

interface ConnectionWatch {
  read(): Connection;
  /** Told when it was lost, and when it is back. */
  subscribe(listener: () => void): () => void;
}

/** It asks only while somebody listens and the page is seen. */
export function watchConnection(
  isAnswering: (signal: AbortSignal) => Promise<boolean>,
  page: Document,
): ConnectionWatch {
  const listeners = new Set<() => void>();
  let state = there;
  let lastHeard = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;

  async function ask(): Promise<void> {
    if (isAsking || page.hidden || listeners.size === 0) return;
    isAsking = true;
    clearTimeout(timer);
    const isThere = await isAnswering(AbortSignal.timeout(LONGEST_WAIT_MS)).catch(() => false);
    isAsking = false;
    if (isThere) lastHeard = Date.now();
    const before = state.kind;
    if (isThere) state = there;
    else if (before === 'there') state = { kind: 'lost', lastHeard };
    if (state.kind !== before) for (const listener of listeners) listener();
    clearTimeout(timer);
    if (listeners.size > 0) timer = setTimeout(ask, isThere ? EVERY_MS : EVERY_MS_WHILE_LOST);
  }
  const askNow = () => void ask();

  return {
    read: () => state,
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) {
        for (const name of ['online', 'offline']) page.defaultView?.addEventListener(name, askNow);
        page.addEventListener('visibilitychange', askNow);
        askNow();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        for (const name of ['online', 'offline']) page.defaultView?.removeEventListener(name, askNow);
        page.removeEventListener('visibilitychange', askNow);
      };
    },
  };
}

/**
 * What has to be loaded from a server that is away is asked for until it is back. One that answered before and after a try
 * and does not have it is another version: that is for whoever asked to deal with. That it answers after alone says nothing,
 * since it may have come back in between.
 */
export async function loadPatiently<T>(
  load: () => Promise<T>,
  isAnswering: (signal: AbortSignal) => Promise<boolean> = answersAtAll,
  pauseMs = EVERY_MS_WHILE_LOST,
): Promise<T> {
  for (let wasThere = false; ; ) {
    try {
      return await load();
    } catch (error) {
      const isThere = await isAnswering(AbortSignal.timeout(LONGEST_WAIT_MS)).catch(() => false);
      if (isThere && wasThere) throw error;
      wasThere = isThere;
      if (!isThere) await new Promise(resolve => setTimeout(resolve, pauseMs));
    }
  }
}

/** The server itself always answers this in one way; it is a proxy that says it is away. */
export const answersAtAll = async (signal: AbortSignal): Promise<boolean> =>
  (await fetch('/healthz', { signal, cache: 'no-store' })).status < 500;
