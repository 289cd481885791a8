/**
 * Turns on a thread that others need too. Owners take turns, so that what waits of one holds up no other, and whoever
 * else waits for the thread is let in before more than one turn's worth of work is done.
 */
interface Turns {
  /** Does some work when its owner has a turn; what that has cost is asked afterwards. */
  take<T>(owner: string, work: () => T, cost: () => number): Promise<T>;
}

/** Does a piece of work, and answers what it has cost. */
type Piece = () => number;

/** What one turn may cost is `most`; the last piece of work in it may exceed that. */
export function createTurns({ most }: { readonly most: number }): Turns {
  const waiting = new Map<string, Piece[]>();
  let isDue = false;

  function schedule(): void {
    if (isDue || waiting.size === 0) return;
    isDue = true;
    setImmediate(takeTurn);
  }

  /** Of the owner that has waited longest since its last turn. */
  function nextOfAll(): Piece | undefined {
    for (const [owner, pieces] of waiting) {
      const next = pieces.shift();
      waiting.delete(owner);
      if (pieces.length > 0) waiting.set(owner, pieces);
      return next;
    }
    return undefined;
  }

  function takeTurn(): void {
    for (let spent = 0; spent < most; ) {
      const next = nextOfAll();
      if (next === undefined) break;
      spent += next();
    }
    isDue = false;
    schedule();
  }

  function enqueue<T>(pieces: Piece[], work: () => T, cost: () => number): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    pieces.push(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
      return cost();
    });
    schedule();
    return promise;
  }

  return {
    take(owner, work, cost) {
      const pieces = waiting.get(owner) ?? [];
      waiting.set(owner, pieces);
      return enqueue(pieces, work, cost);
    },
  };
}
