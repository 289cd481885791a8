import { type SqlBool, sql } from 'kysely';
import { jsonSpellingsOf } from '../../../core/event/excerpt.ts';
import { UNSETTLED } from '../../../core/event/state.ts';
import { idFloor } from '../../../core/ids.ts';
import type { EventFilter } from '../../../core/stores/journal.ts';
import type { Db } from '../../schema.ts';
import { mayComeTo } from './fates.ts';

/** The search for events: down the ids, newest first, for as long as its budget allows. */

/**
 * A search without an index goes slice by slice and lets other readers in between. Payloads have a few bytes or a
 * megabyte, so how many events make a slice follows from how long the one before took.
 */
const SLICE_MS = 10;
const FIRST_SLICE = 50;
const LARGEST_SLICE = 20_000;
/** A look at a slice is so many statements at most: its events, their deliveries and their failed runs. */
const STATEMENTS = 3;

/** The way to a database takes its time however few events a slice has: only what comes on top makes it smaller. */
const nextSlice = (slice: number, tookMs: number, roundTripMs: number): number => {
  const aimMs = Math.max(SLICE_MS, roundTripMs);
  const fitting = Math.round((slice * aimMs) / Math.max(tookMs - STATEMENTS * roundTripMs, 1));
  return Math.min(Math.max(fitting, 1), slice * 4, LARGEST_SLICE);
};

/** Ids from `floor` on and below `ceiling`; null: from the first, to the last. */
export interface Stretch {
  readonly ceiling: string | null;
  readonly floor: string | null;
}

interface Search {
  /** So many are enough. */
  readonly wanted: number;
  readonly below: string | null;
  readonly budgetMs: number;
  /** So many events are looked at, whether they match or not; absent: as many as the time allows. */
  readonly mostLookedAt?: number;
}

/** Goes on until it has found enough, is through, or its budget is spent: then `stoppedAt` says where. */
export async function searchDown<Found>(
  db: Db,
  orgId: string,
  filter: EventFilter,
  { wanted, below, budgetMs, mostLookedAt = Number.POSITIVE_INFINITY }: Search,
  lookAt: (stretch: Stretch, wanted: number) => Promise<{ found: Found[]; last: string | null }>,
): Promise<{ found: Found[]; stoppedAt: string | null }> {
  const floor = filter.after === undefined ? null : idFloor('evt', filter.after + 1);
  let ceiling = filter.before === undefined ? null : idFloor('evt', filter.before);
  if (below !== null && (ceiling === null || below < ceiling)) ceiling = below;

  const found: Found[] = [];
  const deadline = performance.now() + budgetMs;
  const sliced = needsSearch(filter);
  let slice = FIRST_SLICE;
  let lookedAt = 0;
  let roundTripMs = Number.POSITIVE_INFINITY;
  for (;;) {
    const asked = performance.now();
    const sliceEnd = sliced ? await endOfSlice(db, orgId, { ceiling, floor, slice }) : floor;
    const begun = performance.now();
    // The end of a larger slice takes longer to find.
    roundTripMs = Math.min(roundTripMs, begun - asked);
    const seen = await lookAt({ ceiling, floor: sliceEnd }, wanted - found.length);
    found.push(...seen.found);
    // Not all of the slice was looked at where its events had other outcomes.
    const isOver = seen.last === null && sliceEnd === floor;
    if (found.length >= wanted || isOver) return { found, stoppedAt: null };
    ceiling = seen.last ?? sliceEnd;
    lookedAt += slice;
    slice = nextSlice(slice, performance.now() - begun, roundTripMs);
    if ((performance.now() > deadline || lookedAt >= mostLookedAt) && ceiling !== null)
      return { found, stoppedAt: ceiling };
    await new Promise(resolve => setImmediate(resolve));
  }
}

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

/** The events of a stretch that match, newest first; whether one came to an outcome is for `fatesOf` to say. */
export function matching(db: Db, orgId: string, filter: EventFilter, { ceiling, floor }: Stretch) {
  let query = db.selectFrom('events').where('events.org_id', '=', orgId);
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

/** Whether one of the spellings that the text may have in a payload is in it, whatever its case. */
function holdsText(text: string) {
  return sql<SqlBool>`(${sql.join(jsonSpellingsOf(text).map(holds), sql` OR `)})`;
}

function holds(part: string) {
  const needle = part.replace(/[\\%_]/g, '\\$&');
  return sql<SqlBool>`lower(events.payload) LIKE lower(${`%${needle}%`}) ESCAPE '\\'`;
}
