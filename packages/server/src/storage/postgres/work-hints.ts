import type { WorkKind } from '../../core/stores/change.ts';

/** However much comes in, so often at most are others told: each is a statement, and wakes them once. */
const BETWEEN_MS = 10;

interface WorkHints {
  hint(what: WorkKind): void;
  close(): void;
}

/**
 * Hints at work for other nodes: the first goes at once, and those that come soon after it go together. One that fails is
 * not sent again: whoever works looks for it by itself, too, a little later.
 */
export function createWorkHints(send: (what: WorkKind) => Promise<void>): WorkHints {
  const wanted = new Set<WorkKind>();
  let timer: NodeJS.Timeout | null = null;
  let isClosed = false;

  function flush(): void {
    timer = null;
    if (wanted.size === 0 || isClosed) return;
    const kinds = [...wanted];
    wanted.clear();
    for (const what of kinds) void send(what).catch(() => {});
    timer = setTimeout(flush, BETWEEN_MS);
  }

  return {
    hint(what) {
      wanted.add(what);
      if (timer === null) flush();
    },
    close() {
      isClosed = true;
    },
  };
}
