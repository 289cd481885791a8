/** So long the one before is asked alone. A host that is gone without a word costs this much, and no more. */
const HEAD_START_MS = 250;

/**
 * Asks one after the other, the next as soon as the one before has failed or has not answered for a moment, and takes
 * whoever answers first; what the others still bring is handed to `discard`. Rejects with what each said, in order.
 */
export function firstOf<From, Found>(
  all: readonly From[],
  ask: (from: From) => Promise<Found>,
  discard: (found: Found) => void,
): Promise<Found> {
  return new Promise((resolve, reject) => {
    const failures: unknown[] = Array(all.length);
    let next = 0;
    let failed = 0;
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;

    function askNext(): void {
      clearTimeout(timer);
      const index = next++;
      const from = all[index];
      if (from === undefined) return;
      if (next < all.length) timer = setTimeout(askNext, HEAD_START_MS);
      ask(from).then(
        found => {
          if (isOver) return discard(found);
          isOver = true;
          clearTimeout(timer);
          resolve(found);
        },
        (error: unknown) => {
          failures[index] = error;
          failed++;
          if (isOver) return;
          if (failed === all.length) reject(new NoneOf(failures));
          else askNext();
        },
      );
    }
    askNext();
  });
}

/** What each of them said, in their order. */
export class NoneOf extends Error {
  constructor(readonly failures: readonly unknown[]) {
    super('none of them answers as it should');
  }
}
