import type { Json } from '../../json/json.ts';
import { measureJson } from '../../json/size.ts';

/**
 * What a user's expression may cost: a quarter of a second of this thread's own time for one condition, or for all
 * of one template. Time that the machine spends on others does not count: being busy must fail no event.
 */
export const BUDGET_MS = 250;

/** Work is counted in steps of some 20 to 50 ns, since asking the clock each time would cost more than the work. */
const STEPS_BETWEEN_LOOKS = 8_192;

/** Nearly all expressions end before the clock is asked for the first time, some milliseconds in. */
const STEPS_BEFORE_FIRST_LOOK = 65_536;

export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** No single value that an expression builds may be larger: neither in characters nor in items. */
const LARGEST_VALUE = 4 * 1024 * 1024;
const DEEPEST_VALUE = 1_000;
/** Nor all of them together, whether or not they are still needed: characters, with lists and maps counted as such. */
const MOST_BUILT = 16 * LARGEST_VALUE;
const SIZE_OF_COLLECTION = 16;
const SIZE_OF_ITEM = 4;

const reasons = {
  time: (ms: number) => `It took longer than its budget of ${ms} ms.`,
  work: () => 'It takes more work than is allowed here.',
  size: () => `It would make a value larger than ${LARGEST_VALUE} characters.`,
  sum: () => `It would make values of more than ${MOST_BUILT} characters in all.`,
};

/** Thrown past everything that would absorb an error, and caught where the evaluation began. */
export class OverBudget extends Error {
  constructor(of: keyof typeof reasons, ms = BUDGET_MS) {
    super(reasons[of](ms));
    this.name = 'OverBudget';
  }
}

export class Budget {
  private started: number | null = null;
  private steps = 0;
  private carried = 0;
  private built = 0;
  private nextLook: number;

  /**
   * A bound on the steps is the same on every machine, busy or not. It serves where even a quarter of a second is too
   * long, and where what is done is our own: the time is then a backstop that a slow machine does not reach.
   */
  constructor(
    private readonly mostSteps = Number.POSITIVE_INFINITY,
    private readonly mostMs = BUDGET_MS,
  ) {
    this.nextLook = Math.min(STEPS_BEFORE_FIRST_LOOK, mostSteps);
  }

  get spent(): number {
    return this.steps;
  }

  /** Counts work that was done or is about to be. */
  spend(steps: number): void {
    this.steps += steps;
    if (this.steps < this.nextLook) return;
    if (this.steps >= this.mostSteps) throw new OverBudget('work');
    this.nextLook = this.steps + STEPS_BETWEEN_LOOKS;
    const now = threadMs();
    this.started ??= now;
    if (now - this.started > this.mostMs) throw new OverBudget('time', this.mostMs);
  }

  /** Asks before a text of that size is built, of which so much was not there before. */
  build(size: number, added = size): void {
    this.add(size, added);
    this.spend(size >> 3);
  }

  /** The same for a list or a map of so many items. */
  collect(items: number): void {
    this.add(items, SIZE_OF_COLLECTION + SIZE_OF_ITEM * items);
    this.spend(items >> 3);
  }

  private add(size: number, added: number): void {
    if (size > LARGEST_VALUE) throw new OverBudget('size');
    this.built += added;
    if (this.built > MOST_BUILT) throw new OverBudget('sum');
  }

  /** Counts towards the size of the result as a whole, where many values share what they are made of. */
  carry(size: number): void {
    this.carried += size;
    if (this.carried > LARGEST_VALUE) throw new OverBudget('size');
    this.spend(1 + (size >> 5));
  }

  /** The same for all of a value. */
  carryAll(value: Json): void {
    const measured = measureJson(value, { size: LARGEST_VALUE, nesting: DEEPEST_VALUE });
    if (measured.kind !== 'measured') throw new OverBudget('size');
    this.carry(measured.size);
  }

  /** Going through text runs in the engine's own code, many characters a step. */
  scan(text: string): void {
    this.spend(1 + (text.length >> 5));
  }
}
