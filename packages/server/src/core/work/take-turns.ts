/**
 * Turns on a thread that others need too. Owners take turns, so that what waits of one holds up no other, and whoever
 * else waits for the thread is let in before more than one turn's worth of work is done.
 */
interface Turns {
  /** Does some work when its owner has a turn; what that has cost is asked afterwards. */
  take<T>(owner: string, work: () => T, cost: () => number): Promise<T>;
  /** Does it before all that waits: what goes on with something begun, so that little is begun at a time. */
  takeNext<T>(work: () => T, cost: () => number): Promise<T>;
}

interface TurnOptions {
  /** What one turn may cost; the last piece of work in it may exceed that. */
  readonly most: number;
  /** How long each turn is followed by a rest, in multiples of its own length. */
  readonly rest: number;
}

/** Does a piece of work, and answers what it has cost. */
type Piece = () => number;

export function createTurns({ most, rest }: TurnOptions): Turns {
  const first: Piece[] = [];
  const waiting = new Map<string, Piece[]>();
  let isDue = false;
  let restsUntil = 0;

  function schedule(): void {
    if (isDue || first.length + waiting.size === 0) return;
    isDue = true;
    const restMs = restsUntil - performance.now();
    if (restMs > 0) setTimeout(takeTurn, restMs);
    else setImmediate(takeTurn);
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
    const began = performance.now();
    for (let spent = 0; spent < most; ) {
      const next = first.pop() ?? nextOfAll();
      if (next === undefined) break;
      spent += next();
    }
    const now = performance.now();
    restsUntil = now + rest * (now - began);
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
    takeNext: (work, cost) => enqueue(first, work, cost),
  };
}
