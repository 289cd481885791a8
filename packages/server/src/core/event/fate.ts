import type { EventOutcome } from '@sluice/contract/dashboard-events';
import type { DeliveryState } from '../stores/delivery.ts';

/** What became of an event as people ask for it: one word that its state, its runs and its deliveries make together. */

/** How many of its deliveries are in each state. */
export type DeliveryStates = Readonly<Partial<Record<DeliveryState, number>>>;

export interface Fate {
  readonly outcome: EventOutcome;
  readonly deliveryStates: DeliveryStates;
}

export interface FateFacts {
  /** As it is stored. */
  readonly state: string;
  /** A pipeline failed with it, and nobody has resolved or discarded that. */
  readonly hasFailedRun: boolean;
  /** A step of it waits to be tried again. */
  readonly isDeferred: boolean;
  readonly deliveryStates: DeliveryStates;
  /** Something of it waits for a destination that is down. */
  readonly waitsForOutage: boolean;
}

/** The first that fits. What was cancelled counts for nothing, unless there is nothing else. */
export function outcomeOf(facts: FateFacts): EventOutcome {
  const { state, deliveryStates } = facts;
  const of = (name: DeliveryState) => deliveryStates[name] ?? 0;
  const [delivered, dead] = [of('delivered'), of('dead')];
  const waiting = of('pending') + of('delivering') + of('held');
  const open = waiting + of('retrying');
  if (facts.hasFailedRun) return 'failed';
  if (dead > 0 && delivered + open === 0) return 'not delivered';
  if (dead > 0 && delivered > 0) return 'partly delivered';
  if (of('retrying') > 0 || facts.waitsForOutage) return 'failing';
  if (facts.isDeferred) return 'retrying';
  if (waiting > 0) return 'delivering';
  if (delivered > 0) return 'delivered';
  if (of('cancelled') > 0) return 'not delivered';
  switch (state) {
    // Somebody has discarded what it failed with: as with a discarded delivery, nothing is left to be done.
    case 'failed':
      return 'not delivered';
    case 'dropped':
    case 'unrouted':
      return state;
    case 'processed':
      return 'no match';
    default:
      return 'accepted';
  }
}
