/** Runs so many pieces of work at once; the others wait for their turn, in their order. */
type Slots = (work: () => Promise<void>) => Promise<void>;

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;

  return async work => {
    if (free > 0) free--;
    else await new Promise<void>(resolve => waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
