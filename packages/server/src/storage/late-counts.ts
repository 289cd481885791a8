import { idTime } from '../core/ids.ts';
import { type Count, WHOLE_ORGANISATION } from '../core/stores/counters.ts';
import type { EndedAttempt } from '../core/stores/delivery-queue.ts';

/** What is counted of results in the transaction that records them: deliveries that arrived long after they were made. */
export function lateCounts(written: readonly EndedAttempt[]): Count[] {
  const counts: Count[] = [];
  for (const { orgId, deliveryId, next } of written) {
    if (next.state !== 'delivered' || next.lateAt === undefined) continue;
    const count = { orgId, name: 'delivered', at: idTime(deliveryId), amount: 1 };
    counts.push({ ...count, subject: next.lateAt }, { ...count, subject: WHOLE_ORGANISATION });
  }
  return counts;
}
