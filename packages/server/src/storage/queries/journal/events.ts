import { type SqlBool, sql } from 'kysely';
import type { StoredEvent } from '../../../core/event/event.ts';
import { entityRefOf } from '../../../core/event/scope.ts';
import { shownState, UNSETTLED } from '../../../core/event/state.ts';
import { idFloor, idTime } from '../../../core/ids.ts';
import type { EventFilter, EventPage, Journal, ListedEvent } from '../../../core/stores/journal.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { fatesOf, mayComeTo } from './fates.ts';

/** Events of the journal: listed, searched and found. */

/**
 * A search without an index goes slice by slice and lets other readers in between. Payloads have a few bytes or a
 * megabyte, so how many events make a slice follows from how long the one before took.
 */
const SLICE_MS = 10;
const FIRST_SLICE = 50;
const LARGEST_SLICE = 20_000;

const nextSlice = (slice: number, tookMs: number): number => {
  const fitting = Math.round((slice * SLICE_MS) / Math.max(tookMs, 1));
  return Math.min(Math.max(fitting, 1), slice * 4, LARGEST_SLICE);
};

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
  const floor = filter.after === undefined ? null : idFloor('evt', filter.after + 1);
  let ceiling = filter.before === undefined ? null : idFloor('evt', filter.before);
  if (below !== null && (ceiling === null || below < ceiling)) ceiling = below;

  const found: ListedEvent[] = [];
  const deadline = performance.now() + budgetMs;
  const sliced = needsSearch(filter);
  let slice = FIRST_SLICE;
  for (;;) {
    const wanted = limit + 1 - found.length;
    const started = performance.now();
    const sliceEnd = sliced ? await endOfSlice(db, orgId, { ceiling, floor, slice }) : floor;
    const { events, last } = await listed(db, orgId, filter, { ceiling, floor: sliceEnd, wanted });
    found.push(...events);
    if (found.length > limit)
      return { events: found.slice(0, limit), next: found[limit - 1]?.id ?? null, searchedTo: null };
    // Not all of the slice was looked at where its events had other outcomes.
    if (last === null && sliceEnd === floor) return { events: found, next: null, searchedTo: null };
    ceiling = last ?? sliceEnd;
    slice = nextSlice(slice, performance.now() - started);
    if (performance.now() > deadline && ceiling !== null) {
      return { events: found, next: ceiling, searchedTo: idTime(ceiling) } satisfies EventPage;
    }
    await new Promise(resolve => setImmediate(resolve));
  }
};

/** The next of a slice with what became of each; `last` is where to go on within it, null where it is over. */
async function listed(
  db: Db,
  orgId: string,
  filter: EventFilter,
  { ceiling, floor, wanted }: { ceiling: string | null; floor: string | null; wanted: number },
): Promise<{ events: ListedEvent[]; last: string | null }> {
  const { outcome } = filter;
  const most = outcome === undefined ? wanted : Math.max(wanted, MOST_LOOKED_AT);
  const rows = await matching(db, orgId, filter, ceiling, floor).limit(most).execute();
  const fates = await fatesOf(db, orgId, rows);
  const events = rows.flatMap(row => {
    const fate = fates.get(row.id);
    return fate && (outcome === undefined || fate.outcome === outcome)
      ? [{ ...toStoredEvent(row), ...fate }]
      : [];
  });
  const isCut = rows.length === most && events.length < wanted;
  return { events: events.slice(0, wanted), last: isCut ? (rows.at(-1)?.id ?? null) : null };
}

/** Of events that may have come to what is asked for, so many are looked at more closely at a time. */
const MOST_LOOKED_AT = 200;

/** What the primary key or the entity index cannot answer is searched for slice by slice. */
const needsSearch = (filter: EventFilter) =>
  filter.state !== undefined ||
  filter.outcome !== undefined ||
  filter.source !== undefined ||
  filter.type !== undefined ||
  filter.pipeline !== undefined ||
  filter.destination !== undefined ||
  filter.text !== undefined;

/** The id that ends the slice below `ceiling` (itself included in the slice), or `floor` when that comes first. */
async function endOfSlice(
  db: Db,
  orgId: string,
  { ceiling, floor, slice }: { ceiling: string | null; floor: string | null; slice: number },
) {
  let query = db.selectFrom('events').select('id').where('org_id', '=', orgId);
  if (ceiling !== null) query = query.where('id', '<', ceiling);
  if (floor !== null) query = query.where('id', '>=', floor);
  const last = await query.orderBy('id', 'desc').offset(slice).limit(1).executeTakeFirst();
  return last?.id ?? floor;
}

function matching(db: Db, orgId: string, filter: EventFilter, ceiling: string | null, floor: string | null) {
  let query = db
    .selectFrom('events')
    .leftJoin('sources', 'sources.id', 'events.source_id')
    .select(eventColumns)
    .select('sources.name as source_name')
    .where('events.org_id', '=', orgId);
  if (ceiling !== null) query = query.where('events.id', '<', ceiling);
  if (floor !== null) query = query.where('events.id', '>=', floor);
  if (filter.state !== undefined) {
    const states = filter.state === 'accepted' ? UNSETTLED : [filter.state];
    query = query.where('events.state', 'in', states);
  }
  if (filter.outcome !== undefined) query = query.where(mayComeTo(filter.outcome));
  if (filter.source !== undefined) query = query.where(belongsTo(filter.source));
  if (filter.pipeline !== undefined) {
    const { pipeline } = filter;
    // Table by table: as one view they would be put together for every event.
    query = query.where(({ or, exists, selectFrom }) =>
      or([
        exists(
          selectFrom('runs')
            .select('runs.id')
            .whereRef('runs.org_id', '=', 'events.org_id')
            .whereRef('runs.event_id', '=', 'events.id')
            .where('runs.pipeline_id', '=', pipeline),
        ),
        exists(
          selectFrom('deliveries')
            .select('deliveries.id')
            .whereRef('deliveries.org_id', '=', 'events.org_id')
            .whereRef('deliveries.event_id', '=', 'events.id')
            .where('deliveries.pipeline_id', '=', pipeline),
        ),
      ]),
    );
  }
  if (filter.destination !== undefined) {
    const { destination } = filter;
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('deliveries')
          .select('deliveries.id')
          .whereRef('deliveries.org_id', '=', 'events.org_id')
          .whereRef('deliveries.event_id', '=', 'events.id')
          .where('deliveries.destination_id', '=', destination),
      ),
    );
  }
  if (filter.type !== undefined) query = query.where('events.type', '=', filter.type);
  if (filter.entity !== undefined) {
    query = query
      .where('events.entity_kind', '=', filter.entity.kind)
      .where('events.entity_external_id', '=', filter.entity.externalId);
  }
  if (filter.text !== undefined) query = query.where(holdsText(filter.text));
  return query.orderBy('events.id', 'desc');
}

/** It came through this webhook, or this sdk source matched it. */
function belongsTo(sourceId: string) {
  const needle = `"id":${JSON.stringify(sourceId)}`.replace(/[\\%_]/g, '\\$&');
  return sql<SqlBool>`(events.source_id = ${sourceId} OR events.matched_sources LIKE ${`%${needle}%`} ESCAPE '\\')`;
}

/**
 * Looks for the text as JSON writes it inside a string, whatever its case. One with quotes may as well be a piece of
 * the JSON itself, such as `"id":77`, and is looked for as it stands too.
 */
function holdsText(text: string) {
  const inString = JSON.stringify(text).slice(1, -1);
  if (!text.includes('"') || text.includes('\0')) return holds(inString);
  return sql<SqlBool>`(${holds(inString)} OR ${holds(text)})`;
}

function holds(part: string) {
  const needle = part.replace(/[\\%_]/g, '\\$&');
  return sql<SqlBool>`lower(events.payload) LIKE lower(${`%${needle}%`}) ESCAPE '\\'`;
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
