import { UNSETTLED } from '../../../core/event/state.ts';
import { idFloor } from '../../../core/ids.ts';
import type { Journal, PruneCutoffs } from '../../../core/stores/journal.ts';
import type { UpkeepStore } from '../../../core/stores/upkeep.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';

/** Retention: which events may go, and what goes with them. */

export const pruneEvents: Operation<Journal['pruneEvents']> = async (
  db,
  orgId,
  cutoffs,
  { after, limit },
) => {
  let query = db
    .selectFrom('events')
    .select(['id', 'state'])
    .where('org_id', '=', orgId)
    .where('id', '<', idFloor('evt', cutoffs.before));
  if (after !== null) query = query.where('id', '>', after);
  const slice = await query.orderBy('id').limit(limit).execute();
  const through = slice.filter(isThrough).map(({ id }) => id);
  const open = await withOpenDeliveries(db, orgId, through, cutoffs);
  const wanted = await stillWanted(db, orgId, through, cutoffs);
  const ids = through.filter(id => !open.has(id) && !wanted.has(id));
  if (ids.length > 0) await removeEvents(db, orgId, ids);
  return { removed: ids.length, next: slice.length < limit ? null : (slice.at(-1)?.id ?? null) };
};

const isThrough = ({ state }: { state: string }): boolean => !UNSETTLED.includes(state);

/** Those of which something may still be sent, or is dead and may still be retried. */
async function withOpenDeliveries(
  db: Db,
  orgId: string,
  ids: readonly string[],
  { deadBefore }: PruneCutoffs,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('deliveries')
    .select('event_id')
    .where('org_id', '=', orgId)
    .where('event_id', 'in', ids)
    .where(({ eb, or, and }) =>
      or([
        eb('state', 'not in', ['delivered', 'cancelled', 'dead']),
        and([eb('state', '=', 'dead'), eb('finished_at', '>=', deadBefore)]),
      ]),
    )
    .execute();
  return new Set(rows.map(row => row.event_id));
}

/** Those that wait for a replay, are being worked on, or failed not long ago without being resolved or discarded. */
async function stillWanted(
  db: Db,
  orgId: string,
  ids: readonly string[],
  { deadBefore }: PruneCutoffs,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await Promise.all([
    ...(['parked_events', 'event_claims'] as const).map(table =>
      db
        .selectFrom(table)
        .select('event_id')
        .where('org_id', '=', orgId)
        .where('event_id', 'in', ids)
        .execute(),
    ),
    db
      .selectFrom('runs')
      .select('event_id')
      .where('org_id', '=', orgId)
      .where('event_id', 'in', ids)
      .where('outcome', '=', 'failed')
      .where('mended', '=', 0)
      .where('created_at', '>=', deadBefore)
      .execute(),
  ]);
  return new Set(rows.flat().map(row => row.event_id));
}

async function removeEvents(db: Db, orgId: string, ids: readonly string[]): Promise<void> {
  await db
    .deleteFrom('attempts')
    .where('org_id', '=', orgId)
    .where('delivery_id', 'in', eb =>
      eb
        .selectFrom('deliveries')
        .select('deliveries.id')
        .where('deliveries.org_id', '=', orgId)
        .where('deliveries.event_id', 'in', ids),
    )
    .execute();
  for (const table of ['deliveries', 'runs', 'parked_events', 'event_claims'] as const) {
    await db.deleteFrom(table).where('org_id', '=', orgId).where('event_id', 'in', ids).execute();
  }
  await db.deleteFrom('events').where('org_id', '=', orgId).where('id', 'in', ids).execute();
}

export const pruneProcessing: Operation<UpkeepStore['pruneProcessing']> = async (
  db,
  now,
  unusedSince,
  limit,
) => {
  const counts = [
    await pruneDedupeKeys(db, now, limit),
    await pruneLabels(db, unusedSince, limit),
    await pruneJobs(db, unusedSince, limit),
    await pruneGonePipelines(db, now, limit),
  ];
  return Math.max(...counts);
};

async function pruneDedupeKeys(db: Db, now: number, limit: number): Promise<number> {
  const expired = db
    .selectFrom('dedupe_keys')
    .select(['org_id', 'scope', 'key'])
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('dedupe_keys')
    .where(eb => eb(eb.refTuple('org_id', 'scope', 'key'), 'in', expired.$asTuple('org_id', 'scope', 'key')))
    // Another event may have taken it over meanwhile.
    .where('expires_at', '<=', now)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

async function pruneLabels(db: Db, unusedSince: number, limit: number): Promise<number> {
  const unused = db
    .selectFrom('labels')
    .select(['org_id', 'key'])
    .where('used_at', '<', unusedSince)
    .orderBy('used_at')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('labels')
    .where(eb => eb(eb.refTuple('org_id', 'key'), 'in', unused.$asTuple('org_id', 'key')))
    .where('used_at', '<', unusedSince)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

async function pruneJobs(db: Db, finishedBefore: number, limit: number): Promise<number> {
  const old = db
    .selectFrom('jobs')
    .select(['org_id', 'id'])
    .where('finished_at', '<', finishedBefore)
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where(eb => eb(eb.refTuple('org_id', 'id'), 'in', old.$asTuple('org_id', 'id')))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** The versions of a deleted pipeline stay for as long as there are events of its time, and then go with its counts. */
async function pruneGonePipelines(db: Db, now: number, limit: number): Promise<number> {
  await db
    .updateTable('pipeline_versions')
    .set({ gone_at: now })
    .where('gone_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('pipelines')
            .select('pipelines.id')
            .whereRef('pipelines.org_id', '=', 'pipeline_versions.org_id')
            .whereRef('pipelines.id', '=', 'pipeline_versions.pipeline_id'),
        ),
      ),
    )
    .execute();
  const gone = await db
    .selectFrom('pipeline_versions')
    .select(['org_id', 'pipeline_id', eb => eb.fn.max('gone_at').as('gone_at')])
    .where('gone_at', 'is not', null)
    .groupBy(['org_id', 'pipeline_id'])
    .execute();
  let removed = 0;
  for (const { org_id, pipeline_id, gone_at } of gone) {
    if (removed === limit) break;
    if (await hasEventsOf(db, org_id, Number(gone_at))) continue;
    for (const table of ['pipeline_versions', 'tallies'] as const) {
      await db
        .deleteFrom(table)
        .where('org_id', '=', org_id)
        .where('pipeline_id', '=', pipeline_id)
        .execute();
    }
    removed++;
  }
  return removed;
}

/** Whether any is from then or before. */
const hasEventsOf = async (db: Db, orgId: string, at: number): Promise<boolean> =>
  (await db
    .selectFrom('events')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '<', idFloor('evt', at + 1))
    .limit(1)
    .executeTakeFirst()) !== undefined;
