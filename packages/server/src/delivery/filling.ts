import { Budget } from '../core/cel/budget.ts';

/**
 * Templates are filled in on the thread that the doors are served on, so all that belong to one delivery share a
 * budget of some five milliseconds, and whoever waits at the doors is let in before more than that is spent.
 */
const MOST_STEPS = 100_000;
/** What filling costs before the first expression. */
const STEPS_IN_ANY_CASE = 1_000;

const waiting: (() => number)[] = [];

/** Fills in all templates of one delivery, when it is its turn. */
export function fillInTurn<T>(fill: (budget: Budget) => T): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  waiting.push(() => {
    const budget = new Budget(MOST_STEPS);
    try {
      resolve(fill(budget));
    } catch (error) {
      reject(error);
    }
    return STEPS_IN_ANY_CASE + budget.spent;
  });
  if (waiting.length === 1) setImmediate(takeTurns);
  return promise;
}

function takeTurns(): void {
  for (let spent = 0; spent < MOST_STEPS; ) {
    const next = waiting.shift();
    if (next === undefined) return;
    spent += next();
  }
  if (waiting.length > 0) setImmediate(takeTurns);
}
