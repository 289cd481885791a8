import type { Scope } from '../../core/event/scope.ts';
import { Budget } from '../../core/expressions/cel/budget.ts';
import { NoLongerWanted, type OutgoingDelivery, scopeOfDelivery } from '../destination.ts';

/**
 * Templates are filled in on the thread that the doors are served on, so all that belong to one delivery share a
 * budget of some five milliseconds, and whoever waits at the doors is let in before more than that is spent. A large
 * payload takes longer than that to read alone: it has a turn of its own, and another for what is made of it.
 */
const MOST_STEPS = 100_000;
/** What a turn costs before anything is done in it. */
const STEPS_IN_ANY_CASE = 1_000;

/**
 * Large ones wait in a line of their own, where each turn is followed by a rest of so many times its length. In either
 * line organisations take turns, so that what waits of one holds up no other.
 */
const LARGE = 64 * 1024;
const REST_AFTER_LARGE = 3;

const small = createLine(0);
const large = createLine(REST_AFTER_LARGE);

/**
 * Reads the payload of one delivery and fills in all of its templates, when it is its turn. That may take seconds, so
 * whether it is to go out at all is asked again at the end, for every kind that has templates.
 */
export async function fillInTurn<T>(
  delivery: OutgoingDelivery,
  fill: (scope: Scope, budget: Budget) => T,
): Promise<T> {
  const { orgId, payload } = delivery;
  const { length } = payload;
  const inTurn = length > LARGE ? large : small;
  const steps = STEPS_IN_ANY_CASE + (length >> 2);
  const scope = await inTurn(
    orgId,
    () => scopeOfDelivery(delivery),
    () => steps,
  );
  const budget = new Budget(MOST_STEPS);
  // What is filled in is written out at once, and may be as long as the payload again. It is the next in turn: what was
  // read is in memory until it is sent.
  const filled = await inTurn(
    'first',
    () => fill(scope, budget),
    () => steps + budget.spent,
  );
  if (!(await delivery.isStillWanted())) throw new NoLongerWanted();
  return filled;
}

type OrgId = string;
/** Does some work when it is its turn, first of all or that of its organisation, and is told what that has cost. */
type InTurn = <T>(place: 'first' | OrgId, work: () => T, spent: () => number) => Promise<T>;

/** Answers what it has cost. */
type Turn = () => number;

function createLine(restPerMs: number): InTurn {
  const first: Turn[] = [];
  const waiting = new Map<OrgId, Turn[]>();
  let isDue = false;
  let restsUntil = 0;

  function schedule(): void {
    if (isDue || first.length + waiting.size === 0) return;
    isDue = true;
    const rest = restsUntil - performance.now();
    if (rest > 0) setTimeout(takeTurns, rest);
    else setImmediate(takeTurns);
  }

  /** Of the organisation that has waited longest since its last turn. */
  function nextOfAll(): Turn | undefined {
    for (const [orgId, turns] of waiting) {
      const next = turns.shift();
      waiting.delete(orgId);
      if (turns.length > 0) waiting.set(orgId, turns);
      return next;
    }
    return undefined;
  }

  function takeTurns(): void {
    const began = performance.now();
    for (let spent = 0; spent < MOST_STEPS; ) {
      const next = first.pop() ?? nextOfAll();
      if (next === undefined) break;
      spent += next();
    }
    const now = performance.now();
    restsUntil = now + restPerMs * (now - began);
    isDue = false;
    schedule();
  }

  return <T>(place: 'first' | OrgId, work: () => T, spent: () => number) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const turn = () => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
      return spent();
    };
    if (place === 'first') first.push(turn);
    else {
      const turns = waiting.get(place) ?? [];
      turns.push(turn);
      waiting.set(place, turns);
    }
    schedule();
    return promise;
  };
}
