import { type SqlBool, sql } from 'kysely';
import { minutes } from '../../../core/clock.ts';
import type { AccountStore } from '../../../core/stores/accounts.ts';
import type { UpkeepStore } from '../../../core/stores/upkeep.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { pruneCounters } from '../counters/counters.ts';
import { removePiecesOf } from '../jobs/files.ts';

/**
 * An organisation that is deleted is gone at once for everybody: whatever could answer for it (its people, sessions,
 * keys, sources, pipelines, destinations) goes in one step, and with it whoever is at work on its events, since claims
 * go too. What is left is many rows that nobody can reach any more. They go in slices, however often the process is
 * killed in between: `deleted_organisations` says when nothing was left. Its name stays there for good, for what
 * somebody who was held up for long may still write.
 */

/** What a node had accepted before it learned of the deletion may well be written for this long, and goes at once. */
const LATE_MS = minutes(10);

/** Of files, so few go at once: each has a megabyte or more. */
const MOST_PIECES = 10;

/** As many as people make by hand. */
const fewRows = [
  'memberships',
  'invitations',
  'sessions',
  'api_keys',
  'sources',
  'pipelines',
  'destinations',
  'test_events',
  'event_claims',
  'alerts',
  'saved_views',
] as const;

export const deleteOrganisation: Operation<AccountStore['deleteOrganisation']> = async (
  db,
  id,
  now,
  moved,
) => {
  // Locking every organisation keeps two nodes from deleting the last two at once.
  const all = await db
    .updateTable('organisations')
    .set(eb => ({ id: eb.ref('id') }))
    .returning('id')
    .execute();
  if (!all.some(org => org.id === id)) return 'not_found';
  if (all.length === 1) return 'last_one';
  const sources = await db.selectFrom('sources').select('id').where('org_id', '=', id).execute();
  const scopes = JSON.stringify([id, ...sources.map(source => source.id)]);
  await db
    .insertInto('deleted_organisations')
    .values({ org_id: id, deleted_at: now, scopes, emptied_at: null })
    .execute();
  if (moved !== undefined) {
    await db
      .updateTable('sessions')
      .set({ org_id: moved.orgId })
      .where('token_hash', '=', moved.tokenHash)
      .where('org_id', '=', id)
      .execute();
  }
  for (const table of fewRows) await db.deleteFrom(table).where('org_id', '=', id).execute();
  await db.deleteFrom('organisations').where('id', '=', id).execute();
  return 'deleted';
};

export const pruneDeleted: Operation<UpkeepStore['pruneDeleted']> = async (db, now, limit) => {
  const gone = await db
    .selectFrom('deleted_organisations')
    .selectAll()
    .where('emptied_at', 'is', null)
    .orderBy('org_id')
    .execute();
  for (const { org_id, deleted_at, scopes } of gone) {
    const removed = await removeSlice(db, org_id, JSON.parse(scopes) as string[], limit);
    if (removed > 0) return removed;
    if (now - deleted_at < LATE_MS) continue;
    await db
      .updateTable('deleted_organisations')
      .set({ emptied_at: now })
      .where('org_id', '=', org_id)
      .execute();
  }
  return 0;
};

/** Rows by a column that stands second in their primary key, and has a handful of rows for each value at most. */
const manyRows = [
  ['parked_events', 'event_id'],
  ['event_claims', 'event_id'],
  ['attempts', 'delivery_id'],
  ['deliveries', 'id'],
  ['runs', 'event_id'],
  ['events', 'id'],
  ['labels', 'key'],
  ['tallies', 'pipeline_id'],
  ['jobs', 'id'],
  ['pipeline_versions', 'pipeline_id'],
  ['audit', 'id'],
] as const;

export const reopenDeleted: Operation<UpkeepStore['reopenDeleted']> = async db => {
  // What is found by an index. All else that could be written late goes by its own expiry.
  const tables = [
    ...manyRows.map(([table]) => table),
    'export_chunks',
    ...fewRows.filter(table => table !== 'sessions' && table !== 'invitations'),
    'entities',
    'entity_traits',
    'dedupe_keys',
    'counters',
  ];
  // The first from there on: who asks for any of its rows has a planner go through all that others have.
  const isLate = tables.map(
    table => sql`(SELECT late.org_id FROM ${sql.table(table)} AS late
      WHERE late.org_id >= deleted_organisations.org_id
      ORDER BY late.org_id LIMIT 1) = deleted_organisations.org_id`,
  );
  await sql`
    UPDATE deleted_organisations SET emptied_at = NULL
    WHERE emptied_at IS NOT NULL AND (${sql.join(isLate, sql` OR `)})`.execute(db);
};

/** The first sort of rows that has any: so much of it. */
async function removeSlice(db: Db, orgId: string, scopes: readonly string[], limit: number): Promise<number> {
  for (const [table, column] of manyRows) {
    const removed = await removeBy(db, orgId, table, column, limit);
    if (removed > 0) return removed;
  }
  return (
    (await removePiecesOf(db, orgId, Math.min(limit, MOST_PIECES))) ||
    (await removeIndexedTraits(db, orgId, limit)) ||
    (await removeEntities(db, orgId, limit)) ||
    (await removeDedupeKeys(db, orgId, limit)) ||
    (await pruneCounters(db, orgId, Number.MAX_SAFE_INTEGER, limit)) ||
    (await removeOfScopes(db, scopes, limit)) ||
    (await removeLatecomers(db, orgId))
  );
}

/** Somebody who was let in before the deletion may have made a key, a source or a destination after it. */
async function removeLatecomers(db: Db, orgId: string): Promise<number> {
  let removed = 0;
  for (const table of fewRows) {
    const { numDeletedRows } = await db.deleteFrom(table).where('org_id', '=', orgId).executeTakeFirst();
    removed += Number(numDeletedRows);
  }
  return removed;
}

async function removeBy(
  db: Db,
  orgId: string,
  table: (typeof manyRows)[number][0],
  column: (typeof manyRows)[number][1],
  limit: number,
): Promise<number> {
  const { ref } = db.dynamic;
  const rows = await db
    .selectFrom(table)
    .select(sql<string>`${sql.ref(column)}`.as('value'))
    .where('org_id', '=', orgId)
    .orderBy(ref(column))
    .limit(limit)
    .execute();
  if (rows.length === 0) return 0;
  const values = [...new Set(rows.map(({ value }) => value))];
  await db.deleteFrom(table).where('org_id', '=', orgId).where(ref(column), 'in', values).execute();
  return rows.length;
}

/** In the order of their key, up to the last one of the slice. */
async function removeIndexedTraits(db: Db, orgId: string, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('entity_traits')
    .select(['trait', 'value', 'kind', 'changed', 'entity_id'])
    .where('org_id', '=', orgId)
    .orderBy('trait')
    .orderBy('value')
    .orderBy('kind')
    .orderBy('changed')
    .orderBy('entity_id')
    .limit(limit)
    .execute();
  const last = rows.at(-1);
  if (last === undefined) return 0;
  const { trait, value, kind, changed, entity_id } = last;
  await db
    .deleteFrom('entity_traits')
    .where('org_id', '=', orgId)
    .where(
      sql<SqlBool>`(trait, value, kind, changed, entity_id) <= (${trait}, ${value}, ${kind}, ${changed}, ${entity_id})`,
    )
    .execute();
  return rows.length;
}

async function removeEntities(db: Db, orgId: string, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('entities')
    .select('id')
    .where('org_id', '=', orgId)
    .orderBy('external_id')
    .limit(limit)
    .execute();
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  for (const end of ['from_id', 'to_id'] as const) {
    await db.deleteFrom('entity_links').where(end, 'in', ids).execute();
  }
  await db.deleteFrom('entities').where('id', 'in', ids).execute();
  return ids.length;
}

async function removeDedupeKeys(db: Db, orgId: string, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('dedupe_keys')
    .select(['scope', 'key'])
    .where('org_id', '=', orgId)
    .orderBy('scope')
    .orderBy('key')
    .limit(limit)
    .execute();
  for (const [scope, some] of Map.groupBy(rows, row => row.scope)) {
    await db
      .deleteFrom('dedupe_keys')
      .where('org_id', '=', orgId)
      .where('scope', '=', scope)
      .where(
        'key',
        'in',
        some.map(({ key }) => key),
      )
      .execute();
  }
  return rows.length;
}

/** Idempotency keys and refused requests are found by what they stand under, not by their organisation. */
async function removeOfScopes(db: Db, scopes: readonly string[], limit: number): Promise<number> {
  for (const scope of scopes) {
    const refused = await db.deleteFrom('rejections').where('source_id', '=', scope).executeTakeFirst();
    if (refused.numDeletedRows > 0n) return Number(refused.numDeletedRows);
    const keys = await db
      .selectFrom('idempotency_keys')
      .select('key')
      .where('scope', '=', scope)
      .orderBy('key')
      .limit(limit)
      .execute();
    if (keys.length === 0) continue;
    await db
      .deleteFrom('idempotency_keys')
      .where('scope', '=', scope)
      .where(
        'key',
        'in',
        keys.map(({ key }) => key),
      )
      .execute();
    return keys.length;
  }
  return 0;
}
