import { Budget } from '../../core/expressions/cel/budget.ts';
import { NoLongerWanted } from '../../core/http/outgoing.ts';
import { createTurns } from '../../core/work/take-turns.ts';
import { scopeOfDelivery, type TemplateRenderer } from '../destination.ts';

/** What all templates of one delivery may cost together: some five milliseconds. */
const MOST_STEPS = 100_000;
/** What a delivery costs before anything is done with it. */
const STEPS_IN_ANY_CASE = 1_000;
/**
 * Deliveries whose payload is longer have a line of their own, with a rest of so many times its length after each turn.
 */
const LARGE = 64 * 1024;
const REST_AFTER_LARGE = 3;

/**
 * Templates are rendered on the thread that requests are answered on, so all that belong to one delivery share a
 * budget, and whoever waits for an answer is let in before more than that is spent. A large payload takes longer than
 * that to read alone: it has a turn of its own, and another for what is made of it. Organisations take turns, so that
 * what waits of one holds up no other.
 */
export function createTemplateRenderer(): TemplateRenderer {
  const small = createTurns({ most: MOST_STEPS, rest: 0 });
  const large = createTurns({ most: MOST_STEPS, rest: REST_AFTER_LARGE });
  return {
    async render(delivery, render) {
      const { orgId, payload } = delivery;
      const turns = payload.length > LARGE ? large : small;
      const steps = STEPS_IN_ANY_CASE + (payload.length >> 2);
      const scope = await turns.take(
        orgId,
        () => scopeOfDelivery(delivery),
        () => steps,
      );
      const budget = new Budget(MOST_STEPS);
      // What is rendered is written out at once, and may be as long as the payload again. It is the next in turn: what
      // was read is in memory until it is sent.
      const rendered = await turns.takeNext(
        () => render(scope, budget),
        () => steps + budget.spent,
      );
      if (!(await delivery.isStillWanted())) throw new NoLongerWanted();
      return rendered;
    },
  };
}
