import { Budget } from '../core/cel/budget.ts';
import type { Scope } from '../core/scope.ts';
import { type OutgoingDelivery, scopeOfDelivery } from './destination.ts';

/**
 * Templates are filled in on the thread that the doors are served on, so all that belong to one delivery share a
 * budget of some five milliseconds, and whoever waits at the doors is let in before more than that is spent. A large
 * payload takes longer than that to read alone: it has a turn of its own, and another for what is made of it.
 */
const MOST_STEPS = 100_000;
/** What a turn costs before anything is done in it. */
const STEPS_IN_ANY_CASE = 1_000;

/** Answers what it has spent. */
const waiting: (() => number)[] = [];

/** Reads the payload of one delivery and fills in all of its templates, when it is its turn. */
export async function fillInTurn<T>(
  delivery: OutgoingDelivery,
  fill: (scope: Scope, budget: Budget) => T,
): Promise<T> {
  const steps = STEPS_IN_ANY_CASE + (delivery.payload.length >> 2);
  const scope = await inTurn(
    () => scopeOfDelivery(delivery),
    () => steps,
  );
  const budget = new Budget(MOST_STEPS);
  // What is filled in is written out at once, and may be as long as the payload again.
  return inTurn(
    () => fill(scope, budget),
    () => steps + budget.spent,
  );
}

function inTurn<T>(work: () => T, spent: () => number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  waiting.push(() => {
    try {
      resolve(work());
    } catch (error) {
      reject(error);
    }
    return spent();
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
