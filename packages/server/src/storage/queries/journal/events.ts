import { sql } from 'kysely';
import type { StoredEvent } from '../../../core/event/event.ts';
import { entityRefOf } from '../../../core/event/scope.ts';
import { shownState } from '../../../core/event/state.ts';
import { idTime } from '../../../core/ids.ts';
import type { EventFilter, Journal, ListedEvent } from '../../../core/stores/journal.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { fatesOf } from './fates.ts';
import { matching, type Stretch, searchDown } from './search.ts';

/** Events of the journal: listed and found. */

type EventRow = Omit<Schema['events'], 'org_id' | 'payload' | 'erased_at' | 'claim_token' | 'headers'> & {
  source_name: string | null;
};

const toStoredEvent = (row: EventRow): StoredEvent => ({
  id: row.id,
  type: row.type,
  icon: row.icon,
  state: shownState(row.state),
  senderId: row.sender_id,
  entity: entityRefOf(row.entity_kind, row.entity_external_id),
  sources:
    row.source_id === null
      ? (JSON.parse(row.matched_sources ?? '[]') as StoredEvent['sources'])
      : [{ id: row.source_id, name: row.source_name ?? row.source_id }],
  happenedAt: row.happened_at,
  receivedAt: row.received_at,
});

const eventColumns = [
  'events.id',
  'events.source_id',
  'events.state',
  'events.type',
  'events.icon',
  'events.sender_id',
  'events.entity_kind',
  'events.entity_external_id',
  'events.happened_at',
  'events.received_at',
  'events.matched_sources',
] as const;

export const listEvents: Operation<Journal['listEvents']> = async (
  db,
  orgId,
  filter,
  { limit, below, budgetMs },
) => {
  const { found, stoppedAt } = await searchDown(
    db,
    orgId,
    filter,
    { wanted: limit + 1, below, budgetMs },
    (stretch, wanted) => listed(db, orgId, filter, stretch, wanted),
  );
  if (found.length > limit)
    return { events: found.slice(0, limit), next: found[limit - 1]?.id ?? null, searchedTo: null };
  return { events: found, next: stoppedAt, searchedTo: stoppedAt === null ? null : idTime(stoppedAt) };
};

/** Of events that may have come to what is asked for, so many are looked at more closely at a time. */
const MOST_LOOKED_AT = 200;

/** The next of a stretch with what became of each; `last` is where to go on within it, null where it is over. */
async function listed(
  db: Db,
  orgId: string,
  filter: EventFilter,
  stretch: Stretch,
  wanted: number,
): Promise<{ found: ListedEvent[]; last: string | null }> {
  const { outcome } = filter;
  const most = outcome === undefined ? wanted : Math.max(wanted, MOST_LOOKED_AT);
  const rows = await matching(db, orgId, filter, stretch)
    .leftJoin('sources', 'sources.id', 'events.source_id')
    .select(eventColumns)
    .select('sources.name as source_name')
    .limit(most)
    .execute();
  const fates = await fatesOf(db, orgId, rows);
  const events = rows.flatMap(row => {
    const fate = fates.get(row.id);
    return fate && (outcome === undefined || fate.outcome === outcome)
      ? [{ ...toStoredEvent(row), ...fate }]
      : [];
  });
  const isCut = rows.length === most && events.length < wanted;
  return { found: events.slice(0, wanted), last: isCut ? (rows.at(-1)?.id ?? null) : null };
}

export const findEvent: Operation<Journal['findEvent']> = async (db, orgId, id) => {
  const row = await db
    .selectFrom('events')
    .leftJoin('sources', 'sources.id', 'events.source_id')
    .select(eventColumns)
    .select(['sources.name as source_name', 'events.payload', 'events.erased_at', 'events.headers'])
    .where('events.org_id', '=', orgId)
    .where('events.id', '=', id)
    .executeTakeFirst();
  const fate = row && (await fatesOf(db, orgId, [row])).get(id);
  if (!row || !fate) return null;
  const { payload, erased_at: erasedAt, headers } = row;
  return { ...toStoredEvent(row), ...fate, payload, erasedAt, ...(headers === null ? {} : { headers }) };
};

export const findEvents: Operation<Journal['findEvents']> = async (db, orgId, ids) => {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('events')
    .leftJoin('sources', 'sources.id', 'events.source_id')
    .select(eventColumns)
    .select('sources.name as source_name')
    .where('events.org_id', '=', orgId)
    .where('events.id', 'in', ids)
    .orderBy('events.id', 'desc')
    .execute();
  const fates = await fatesOf(db, orgId, rows);
  return rows.flatMap(row => {
    const fate = fates.get(row.id);
    return fate ? [{ ...toStoredEvent(row), ...fate }] : [];
  });
};

/** Written to, not only read: on PostgreSQL what is answered then has reached the standbys, too. */
export const findEventsOfKey: Operation<Journal['findEventsOfKey']> = async (db, scope, key, now) => {
  const known = await db
    .updateTable('idempotency_keys')
    .set({ expires_at: sql`expires_at` })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('expires_at', '>', now)
    .returning('event_ids')
    .executeTakeFirst();
  return known ? (JSON.parse(known.event_ids) as string[]) : null;
};
