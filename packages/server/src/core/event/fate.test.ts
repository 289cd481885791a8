import { expect, test } from 'bun:test';
import type { EventOutcome } from '@sluice/contract/dashboard-events';
import { type DeliveryStates, type FateFacts, outcomeOf } from './fate.ts';

const facts = (deliveryStates: DeliveryStates, given: Partial<FateFacts> = {}): FateFacts => ({
  state: 'processed',
  hasFailedRun: false,
  isDeferred: false,
  waitsForOutage: false,
  deliveryStates,
  ...given,
});

test.each<[EventOutcome, DeliveryStates, Partial<FateFacts>]>([
  ['delivered', { delivered: 7 }, {}],
  ['delivered', { delivered: 1, cancelled: 1 }, {}],
  ['partly delivered', { delivered: 6, dead: 1 }, {}],
  ['partly delivered', { delivered: 1, dead: 1, retrying: 1 }, {}],
  ['not delivered', { dead: 2 }, {}],
  ['not delivered', { dead: 2, cancelled: 1 }, {}],
  ['not delivered', { cancelled: 1 }, {}],
  ['failing', { dead: 1, retrying: 1 }, {}],
  ['failing', { delivered: 1, retrying: 1 }, {}],
  ['failing', { pending: 1 }, { waitsForOutage: true }],
  ['delivering', { delivered: 1, pending: 1 }, {}],
  ['delivering', { delivering: 1 }, {}],
  ['delivering', { held: 1 }, {}],
  ['failed', { delivered: 3 }, { hasFailedRun: true }],
  ['failed', {}, { state: 'failed', hasFailedRun: true }],
  ['not delivered', {}, { state: 'failed' }],
  ['retrying', {}, { state: 'deferred', isDeferred: true }],
  ['retrying', { delivered: 1 }, { state: 'deferred', isDeferred: true }],
  ['dropped', {}, { state: 'dropped' }],
  ['unrouted', {}, { state: 'unrouted' }],
  ['no match', {}, {}],
  ['accepted', {}, { state: 'claimed' }],
])('%s: %p %p', (outcome, deliveryStates, given) => {
  expect(outcomeOf(facts(deliveryStates, given))).toBe(outcome);
});
