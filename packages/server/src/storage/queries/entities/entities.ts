import { sql } from 'kysely';
import { isMatch, toMilliseconds } from '../../../core/entities/write.ts';
import type { EntityRef } from '../../../core/event/scope.ts';
import type { EntityStore, StoredEntity, TimedEntity } from '../../../core/stores/entities.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { unindexEntities } from './index.ts';

/** Entities: their rows, found by name or by id, and deleted. */

export const entityColumns = [
  'entities.id',
  'entities.kind',
  'entities.external_id',
  'entities.traits',
  'entities.version',
  'entities.created_at',
  'entities.changed',
] as const;

export type EntityRow = Pick<
  Schema['entities'],
  'id' | 'kind' | 'external_id' | 'traits' | 'version' | 'created_at' | 'changed'
>;

export const toStoredEntity = (row: Omit<EntityRow, 'id'>): StoredEntity => ({
  kind: row.kind,
  externalId: row.external_id,
  traits: row.traits,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: toMilliseconds(row.changed),
});

export const toTimedEntity = (row: EntityRow & Pick<Schema['entities'], 'trait_times'>): TimedEntity => ({
  ...toStoredEntity(row),
  traitTimes: row.trait_times,
});

export const findEntity: Operation<EntityStore['findEntity']> = async (db, orgId, { kind, externalId }) => {
  const row = await db
    .selectFrom('entities')
    .select(entityColumns)
    .select('trait_times')
    .where('org_id', '=', orgId)
    .where('external_id', '=', externalId)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return row ? toTimedEntity(row) : null;
};

/** No text that begins with another comes after that one followed by this. */
const LAST_CHARACTER = '\u{10FFFF}';

export const findEntitiesByPrefix: Operation<EntityStore['findEntitiesByPrefix']> = async (
  db,
  orgId,
  prefix,
  limit,
) =>
  db
    .selectFrom('entities')
    .select(['kind', 'external_id as externalId'])
    .where('org_id', '=', orgId)
    .where('external_id', '>=', prefix)
    .where('external_id', '<', `${prefix}${LAST_CHARACTER}`)
    .orderBy('external_id')
    .orderBy('kind')
    .limit(limit)
    .execute();

/** By what it is known under within this database; null where there is no such entity. */
export async function findEntityId(db: Db, orgId: string, { kind, externalId }: EntityRef) {
  const row = await db
    .selectFrom('entities')
    .select('id')
    .where('org_id', '=', orgId)
    .where('external_id', '=', externalId)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return row?.id ?? null;
}

export const findTraits: Operation<EntityStore['findTraits']> = async (db, orgId, refs) => {
  if (refs.length === 0) return [];
  const wanted = sql.join(refs.map(({ kind, externalId }) => sql`(${externalId}, ${kind})`));
  const rows = await db
    .selectFrom('entities')
    .select(['kind', 'external_id', 'traits'])
    .where('org_id', '=', orgId)
    .where(sql<boolean>`(external_id, kind) in (values ${wanted})`)
    .execute();
  // A kind has no blanks.
  const found = new Map(rows.map(row => [`${row.kind} ${row.external_id}`, row.traits]));
  return refs.map(({ kind, externalId }) => found.get(`${kind} ${externalId}`) ?? null);
};

export const deleteEntity: Operation<EntityStore['deleteEntity']> = async (db, orgId, entity, ifMatch) => {
  // Changing nothing locks the row: whoever links or writes it at the same time comes before or after.
  const row = await db
    .updateTable('entities')
    .set(eb => ({ version: eb.ref('version') }))
    .where('org_id', '=', orgId)
    .where('external_id', '=', entity.externalId)
    .where('kind', '=', entity.kind)
    .returning(['id', 'org_id', 'kind', 'version', 'changed', 'traits'])
    .executeTakeFirst();
  if (row === undefined) return 'not_found';
  if (!isMatch(row.version, ifMatch)) return 'version_conflict';
  await db
    .deleteFrom('entity_links')
    .where('org_id', '=', orgId)
    .where(eb => eb.or([eb('from_id', '=', row.id), eb('to_id', '=', row.id)]))
    .execute();
  await unindexEntities(db, orgId, [row]);
  await db.deleteFrom('entities').where('id', '=', row.id).execute();
  return 'deleted';
};
