import { idTime } from '../core/ids.ts';
import { type Count, WHOLE_ORGANISATION } from '../core/stores/counters.ts';
import type { EndedAttempt } from '../core/stores/delivery-queue.ts';
import type { Settlement, SettleResult } from '../core/stores/event-queue.ts';

/**
 * What is counted in the transaction that records it: deliveries that arrived long after they were made, and events that
 * were settled long after they came in.
 */

export function lateDeliveries(written: readonly EndedAttempt[]): Count[] {
  const counts: Count[] = [];
  for (const { orgId, deliveryId, next } of written) {
    if (next.state !== 'delivered' || next.lateAt === undefined) continue;
    const count = { orgId, name: 'delivered', at: idTime(deliveryId), amount: 1 };
    counts.push({ ...count, subject: next.lateAt }, { ...count, subject: WHOLE_ORGANISATION });
  }
  return counts;
}

/** An event that a replay gives another state moves from the one number to the other. */
export function lateEvents(settlements: readonly Settlement[], results: readonly SettleResult[]): Count[] {
  const counts: Count[] = [];
  for (const [n, { orgId, eventId }] of settlements.entries()) {
    const result = results[n];
    if (result?.kind !== 'settled' || result.isCounted !== true) continue;
    const { state, before } = result;
    if (state === null || state === before) continue;
    const count = { orgId, subject: WHOLE_ORGANISATION, at: idTime(eventId) };
    counts.push({ ...count, name: state, amount: 1 });
    if (before !== undefined) counts.push({ ...count, name: before, amount: -1 });
  }
  return counts;
}
