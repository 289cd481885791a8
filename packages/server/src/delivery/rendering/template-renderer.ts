import { Budget } from '../../core/expressions/cel/budget.ts';
import { NoLongerWanted } from '../../core/http/outgoing.ts';
import { createTurns } from '../../core/work/take-turns.ts';
import {
  type OutgoingDelivery,
  type Recipe,
  scopeOfDelivery,
  type TemplateRenderer,
} from '../destination.ts';
import type { RenderingThread } from './rendering-thread.ts';

/** What all templates of one delivery may cost together: some five milliseconds. */
export const RENDERING_STEPS = 100_000;
/** What a delivery costs before anything is done with it. */
const STEPS_IN_ANY_CASE = 1_000;
/** A longer payload takes longer to read than anybody who waits for an answer should notice. */
const LARGE = 16 * 1024;

/**
 * Templates are rendered on the thread that requests are answered on, so all that belong to one delivery share a
 * budget, and whoever waits for an answer is let in before more than that is spent. A large payload takes longer than
 * that to read alone, so a thread of its own reads it. Organisations take turns in both places: what waits of one holds
 * up no other.
 */
export function createTemplateRenderer(thread: Pick<RenderingThread, 'render'>): TemplateRenderer {
  const turns = createTurns({ most: RENDERING_STEPS });

  function renderHere<T>(delivery: OutgoingDelivery, { composer }: Recipe<T>): Promise<T> {
    const budget = new Budget(RENDERING_STEPS);
    return turns.take(
      delivery.orgId,
      () => composer.compose(delivery, scopeOfDelivery(delivery), budget),
      () => STEPS_IN_ANY_CASE + (delivery.payload.length >> 1) + budget.spent,
    );
  }

  return {
    async render(delivery, recipe) {
      const isLarge = delivery.payload.length > LARGE;
      const rendered = await (isLarge ? thread.render(delivery, recipe) : renderHere(delivery, recipe));
      if (!(await delivery.isStillWanted())) throw new NoLongerWanted();
      return rendered;
    },
  };
}
