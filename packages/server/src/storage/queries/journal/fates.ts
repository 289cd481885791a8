import { type SqlBool, sql } from 'kysely';
import { type DeliveryStates, type Fate, outcomeOf } from '../../../core/event/fate.ts';
import { DEFERRED } from '../../../core/event/state.ts';
import type { DeliveryState } from '../../../core/stores/delivery.ts';
import type { Db } from '../../schema.ts';
import { failedRuns } from '../deliveries/dead-letters.ts';
import { shownDeliveryState } from '../deliveries/shown-state.ts';

/** What became of events, looked up for a page of them at once. */

/** A statement has room for a limited number of values. */
const AT_ONCE = 500;

export async function fatesOf(
  db: Db,
  orgId: string,
  events: readonly { readonly id: string; readonly state: string }[],
): Promise<Map<string, Fate>> {
  const fates = new Map<string, Fate>();
  for (let from = 0; from < events.length; from += AT_ONCE) {
    const some = events.slice(from, from + AT_ONCE);
    const ids = some.map(({ id }) => id);
    const [deliveries, failed] = [await deliveriesOf(db, orgId, ids), await failedOf(db, orgId, ids)];
    for (const { id, state } of some) {
      const { states = {}, waitsForOutage = false } = deliveries.get(id) ?? {};
      const outcome = outcomeOf({
        state,
        hasFailedRun: failed.has(id),
        isDeferred: state === DEFERRED,
        deliveryStates: states,
        waitsForOutage,
      });
      fates.set(id, { outcome, deliveryStates: states });
    }
  }
  return fates;
}

interface Deliveries {
  readonly states: DeliveryStates;
  readonly waitsForOutage: boolean;
}

async function deliveriesOf(db: Db, orgId: string, ids: readonly string[]): Promise<Map<string, Deliveries>> {
  const rows = await db
    .selectFrom('deliveries')
    .leftJoin('destinations', join =>
      join
        .onRef('destinations.org_id', '=', 'deliveries.org_id')
        .onRef('destinations.id', '=', 'deliveries.destination_id'),
    )
    .select(eb => [
      'deliveries.event_id',
      shownDeliveryState.as('shown_state'),
      eb.fn.countAll<number>().as('count'),
      sql<number>`max(CASE WHEN destinations.breaker_opened_at IS NULL THEN 0 ELSE 1 END)`.as('is_down'),
    ])
    .where('deliveries.org_id', '=', orgId)
    .where('deliveries.event_id', 'in', ids)
    .groupBy(['deliveries.event_id', 'shown_state'])
    .execute();
  const found = new Map<string, Deliveries>();
  for (const { event_id, shown_state, count, is_down } of rows) {
    const { states, waitsForOutage } = found.get(event_id) ?? { states: {}, waitsForOutage: false };
    const waits = shown_state === 'pending' || shown_state === 'delivering';
    found.set(event_id, {
      states: { ...states, [shown_state]: Number(count) } satisfies Partial<Record<DeliveryState, number>>,
      waitsForOutage: waitsForOutage || (waits && Number(is_down) === 1),
    });
  }
  return found;
}

/** Those that the list of dead letters has. */
async function failedOf(db: Db, orgId: string, ids: readonly string[]): Promise<Set<string>> {
  const rows = await failedRuns(db, orgId, { ids }).select('runs.event_id').distinct().execute();
  return new Set(rows.map(({ event_id }) => event_id));
}

/** What waits for a destination that is gone is shown as cancelled: see `shownDeliveryState`. */
const waitsForNobody = sql<SqlBool>`EXISTS (SELECT 1 FROM deliveries WHERE deliveries.org_id = events.org_id
  AND deliveries.event_id = events.id AND deliveries.state || '' IN ('pending', 'retrying')
  AND NOT EXISTS (SELECT 1 FROM destinations WHERE destinations.org_id = deliveries.org_id
    AND destinations.id = deliveries.destination_id))`;

/** What an event must have at least to come to this, so that few others are looked at more closely. */
export function mayComeTo(outcome: Fate['outcome']) {
  const has = (states: string) =>
    sql<SqlBool>`EXISTS (SELECT 1 FROM deliveries WHERE deliveries.org_id = events.org_id
      AND deliveries.event_id = events.id AND deliveries.state || '' IN (${sql.raw(states)}))`;
  switch (outcome) {
    case 'failed':
      return sql<SqlBool>`EXISTS (SELECT 1 FROM runs WHERE runs.org_id = events.org_id
        AND runs.event_id = events.id AND runs.outcome = 'failed' AND runs.mended = 0)`;
    case 'not delivered':
      return sql<SqlBool>`(events.state = 'failed' OR ${has(`'dead', 'cancelled'`)} OR ${waitsForNobody})`;
    case 'partly delivered':
      return has(`'dead'`);
    case 'failing':
    case 'delivering':
      return has(`'pending', 'delivering', 'retrying'`);
    case 'delivered':
      return has(`'delivered'`);
    case 'no match':
      return sql<SqlBool>`events.state = 'processed'`;
    case 'dropped':
    case 'unrouted':
      return sql<SqlBool>`events.state = ${outcome}`;
    case 'retrying':
      return sql<SqlBool>`events.state = ${DEFERRED}`;
    case 'accepted':
      return sql<SqlBool>`events.state IN ('accepted', 'claimed', 'deferred')`;
  }
}
