import type { EntityStore } from '../../../core/stores/entities.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { indexRowsOf, NOT_SEARCHABLE, type Searchable, toSearchable } from '../../searchable-traits.ts';

/**
 * The index of searchable traits. Each entity says under which set of traits it was indexed, and the index is read
 * only while no entity of the organisation says another: so a set that has just been changed, or a write that was
 * under way then, never hides an entity. Until all are indexed, a list is searched for instead.
 */
export async function readSearchable(db: Db, orgId: string): Promise<Searchable> {
  const row = await db
    .selectFrom('organisations')
    .select('searchable_traits')
    .where('id', '=', orgId)
    .executeTakeFirst();
  return row ? toSearchable(row.searchable_traits) : NOT_SEARCHABLE;
}

/** Whether every entity of the organisation is indexed under this set. */
export async function isIndexed(db: Db, orgId: string, { tag }: Searchable): Promise<boolean> {
  // Asked in two halves, each of which is the end of a range of the index.
  for (const side of ['<', '>'] as const) {
    if ((await staleIds(db, orgId, tag, side, 1)).length > 0) return false;
  }
  return true;
}

const staleIds = async (db: Db, orgId: string, tag: string, side: '<' | '>', limit: number) =>
  (
    await db
      .selectFrom('entities')
      .select('id')
      .where('org_id', '=', orgId)
      .where('indexed_as', side, tag)
      .limit(limit)
      .execute()
  ).map(({ id }) => id);

const ROWS_AT_ONCE = 1_000;

export const reindexEntities: Operation<EntityStore['reindexEntities']> = async (db, orgId, limit) => {
  const searchable = await readSearchable(db, orgId);
  const { tag } = searchable;
  const stale = await staleIds(db, orgId, tag, '<', limit);
  if (stale.length < limit) stale.push(...(await staleIds(db, orgId, tag, '>', limit - stale.length)));
  if (stale.length === 0) return 0;
  // What was written meanwhile has been indexed by its writer, and is left out here.
  const entities = await db
    .updateTable('entities')
    .set({ indexed_as: tag })
    .where('id', 'in', stale)
    .where('indexed_as', '<>', tag)
    .returning(['id', 'org_id', 'kind', 'changed', 'traits'])
    .execute();
  const ids = entities.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom('entity_traits').where('entity_id', 'in', ids).execute();
  const rows = entities.flatMap(entity => indexRowsOf(entity, searchable));
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await db
      .insertInto('entity_traits')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .execute();
  }
  return stale.length;
};
