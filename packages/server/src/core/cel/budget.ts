/** What a user's expression may cost: a quarter of a second for one condition, or for all of one template. */
export const BUDGET_MS = 250;

/** Work is counted in steps of some 20 to 50 ns, since asking the clock each time would cost more than the work. */
const STEPS_BETWEEN_LOOKS = 8_192;

/** Below this much work the clock is not asked: a stalled machine must not fail an expression that did little. */
const FREE_STEPS = 65_536;

/** No single value that an expression builds may be larger: neither in characters nor in items. */
const LARGEST_VALUE = 4 * 1024 * 1024;

/** Thrown past everything that would absorb an error, and caught where the evaluation began. */
export class OverBudget extends Error {
  constructor() {
    super(`It took longer than its budget of ${BUDGET_MS} ms.`);
    this.name = 'OverBudget';
  }
}

export class Budget {
  private readonly started = performance.now();
  private steps = 0;
  private nextLook = FREE_STEPS;

  /** Counts work that was done or is about to be. */
  spend(steps: number): void {
    this.steps += steps;
    if (this.steps < this.nextLook) return;
    this.nextLook = this.steps + STEPS_BETWEEN_LOOKS;
    if (performance.now() - this.started > BUDGET_MS) throw new OverBudget();
  }

  /** Asks before a value of that size is built. */
  build(size: number): void {
    if (size > LARGEST_VALUE) throw new OverBudget();
    this.spend(size >> 3);
  }

  /** Going through text runs in the engine's own code, many characters a step. */
  scan(text: string): void {
    this.spend(1 + (text.length >> 5));
  }
}
