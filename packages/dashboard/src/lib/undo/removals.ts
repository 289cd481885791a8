/**
 * What somebody has deleted or discarded and may still take back: it is shown as done at once, and carried out when its
 * time is over or the page is left.
 */
export interface Removal {
  /** What was done, as the notice says it: `“Shop” deleted`. */
  readonly message: string;
  /** Whether a row of a list, by its path, is shown as gone. */
  hides(list: string, row: unknown): boolean;
  carryOut(how: CarryingOut): Promise<unknown>;
  /** The rows themselves, where it is known which: for whoever counts what is left. */
  readonly rows?: readonly unknown[];
}

interface CarryingOut {
  /** How long ago somebody asked for it. */
  readonly afterMs: number;
  /** The page goes: what is sent has to outlive it. */
  readonly isLeaving: boolean;
}

export interface PendingRemoval extends Removal {
  readonly key: number;
  readonly at: number;
  /** It can be taken back no longer. */
  readonly isUnderWay: boolean;
  /** Of what is under way: resolves when it has been carried out, or has failed. */
  readonly ended?: Promise<void>;
}

export interface Removals {
  add(removal: Removal): void;
  undo(key: number): void;
  /** Carries out at once what waits. Resolves when nothing of it is under way any more. */
  flush(isLeaving: boolean): Promise<void>;
  readonly pending: () => readonly PendingRemoval[];
  subscribe(listener: () => void): () => void;
}

/** How long something can be taken back. */
export const UNDO_MS = 10_000;

export function createRemovals(options: {
  now(): number;
  /** Answers how to call it off. */
  after(ms: number, act: () => void): () => void;
  /** It is done: resolves when what is shown has been read again, so that nothing comes back for a moment. */
  onDone(): Promise<unknown>;
  /** It could not be done, and what was shown as gone is there again. */
  onFailed(removal: Removal, error: unknown): void;
}): Removals {
  const { now, after } = options;
  let pending: readonly PendingRemoval[] = [];
  let lastKey = 0;
  const listeners = new Set<() => void>();
  const timers = new Map<number, () => void>();

  function change(next: readonly PendingRemoval[]): void {
    pending = next;
    for (const listener of listeners) listener();
  }

  const forget = (key: number) => change(pending.filter(one => one.key !== key));

  async function carryOut(key: number, isLeaving: boolean): Promise<void> {
    const removal = pending.find(one => one.key === key);
    if (removal === undefined || removal.isUnderWay) return removal?.ended;
    timers.get(key)?.();
    timers.delete(key);
    const ended = send(removal, isLeaving);
    change(pending.map(one => (one.key === key ? { ...one, isUnderWay: true, ended } : one)));
    return ended;
  }

  async function send(removal: PendingRemoval, isLeaving: boolean): Promise<void> {
    try {
      await removal.carryOut({ afterMs: Math.max(0, now() - removal.at), isLeaving });
    } catch (error) {
      forget(removal.key);
      options.onFailed(removal, error);
      return;
    }
    await options.onDone();
    forget(removal.key);
  }

  return {
    add(removal) {
      const key = ++lastKey;
      timers.set(
        key,
        after(UNDO_MS, () => void carryOut(key, false)),
      );
      change([...pending, { ...removal, key, at: now(), isUnderWay: false }]);
    },
    undo(key) {
      if (!pending.some(one => one.key === key && !one.isUnderWay)) return;
      timers.get(key)?.();
      timers.delete(key);
      forget(key);
    },
    async flush(isLeaving) {
      await Promise.all(pending.map(({ key }) => carryOut(key, isLeaving)));
    },
    pending: () => pending,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
