import type { PipelineDestination } from '@sluice/contract';
import type { Scope } from '../core/event/scope.ts';
import { type Condition, compileCondition } from '../core/expressions/condition.ts';
import { readAt } from '../core/expressions/expression-error.ts';

/** Where the events of a pipeline go: to every destination whose `when` they match. */
interface Routes {
  /** Whether any condition reads the traits of the event's entity. */
  readonly readsTraits: boolean;
  match(scope: Scope): RouteMatch;
  /** For whoever saves them or tries them out: refuses a condition that could be true for no event. */
  check(): void;
}

type RouteMatch =
  | {
      readonly kind: 'matched';
      readonly destinations: readonly string[];
      /** Why a condition that could not be decided did not match. */
      readonly notes: readonly { readonly destination: string; readonly note: string }[];
    }
  | { readonly kind: 'over_budget'; readonly destination: string; readonly reason: string };

interface Route {
  readonly id: string;
  readonly when: Condition | null;
}

/** Refuses with a 400 that points at `destinations[i].when` and at the character. */
export function compileRoutes(destinations: readonly PipelineDestination[]): Routes {
  const pathOf = (i: number) => `destinations[${i}].when`;
  const routes = destinations.map(
    ({ id, when }, i): Route => ({
      id,
      when: when === undefined ? null : readAt(pathOf(i), () => compileCondition(when)),
    }),
  );
  return {
    readsTraits: routes.some(({ when }) => when?.readsTraits ?? false),
    match: scope => matchRoutes(routes, scope),
    check() {
      for (const [i, { when }] of routes.entries()) readAt(pathOf(i), () => when?.check());
    },
  };
}

function matchRoutes(routes: readonly Route[], scope: Scope): RouteMatch {
  const destinations: string[] = [];
  const notes: { destination: string; note: string }[] = [];
  for (const { id, when } of routes) {
    const result = when?.evaluate(scope) ?? null;
    if (result?.kind === 'over_budget')
      return { kind: 'over_budget', destination: id, reason: result.reason };
    if (result === null || result.matches) destinations.push(id);
    else if (result.note !== undefined) notes.push({ destination: id, note: result.note });
  }
  return { kind: 'matched', destinations, notes };
}
