import { type SqlBool, sql } from 'kysely';
import type { EntityStore } from '../../../core/stores/entities.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import {
  indexRowsOf,
  NOT_SEARCHABLE,
  namedTraits,
  type Searchable,
  toSearchable,
} from '../../searchable-traits.ts';
import { eachText } from './each-text.ts';

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
  await unindexEntities(db, orgId, entities);
  const rows = entities.flatMap(entity => indexRowsOf(entity, searchable.traits));
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await db
      .insertInto('entity_traits')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .execute();
  }
  return stale.length;
};

/** Takes entities out of the index, under whatever set they were indexed, as long as they are as they were then. */
export async function unindexEntities(
  db: Db,
  orgId: string,
  entities: readonly Pick<Schema['entities'], 'id' | 'org_id' | 'kind' | 'changed' | 'traits'>[],
): Promise<void> {
  if (entities.length === 0) return;
  for (const trait of namedTraits(await traitNames(db, orgId))) {
    const keys = entities
      .flatMap(entity => indexRowsOf(entity, [trait]))
      .map(row => sql`(${row.value}, ${row.kind}, cast(${row.changed} AS BIGINT), ${row.entity_id})`);
    if (keys.length === 0) continue;
    await db
      .deleteFrom('entity_traits')
      .where('org_id', '=', orgId)
      .where('trait', '=', trait.name)
      .where(sql<SqlBool>`(value, kind, changed, entity_id) IN (VALUES ${sql.join(keys)})`)
      .execute();
  }
}

/** Of every trait that the index holds of the organisation. */
const traitNames = (db: Db, orgId: string): Promise<string[]> =>
  eachText(async after => {
    const next = await db
      .selectFrom('entity_traits')
      .select('trait')
      .where('org_id', '=', orgId)
      .where('trait', '>', after)
      .orderBy('trait')
      .limit(1)
      .executeTakeFirst();
    return next?.trait;
  });
