import type { EntityWrite } from '../../core/entities/write.ts';
import type { EntityStore, EntityWriteRequest } from '../../core/stores/entities.ts';
import { type Steps, withPauses } from '../../core/work/in-steps.ts';
import { nameOfRow, nameOfWrite, newEntityRow, performWrites, type WrittenEntity } from '../entity-writes.ts';
import type { Schema } from '../schema.ts';
import {
  formerIndexRowsOf,
  indexRowsOf,
  NOT_SEARCHABLE,
  namedTraits,
  type Searchable,
  toSearchable,
} from '../searchable-traits.ts';
import { bigintArray, textArray } from './arrays.ts';
import { retrying } from './failure.ts';
import type { Session, SessionPool } from './sessions.ts';

/**
 * Many calls' writes in one transaction, with one statement per table. Every entity that is named is locked first,
 * in sorted order, so that two nodes that want the same ones queue up and cannot wait for each other. One that
 * does not exist yet is made to be locked, and taken away again where its write is refused.
 */
export function createWriteEntities(sessions: SessionPool): EntityStore['writeEntities'] {
  return requests => retrying(() => sessions.transaction(session => write(session, requests)));
}

async function write(session: Session, requests: readonly EntityWriteRequest[]) {
  const searchable = await readSearchable(session, requests);
  const searchableOf = (orgId: string) => searchable.get(orgId) ?? NOT_SEARCHABLE;
  const locked = await lockEntities(session, requests, searchableOf);
  const rowOf = (orgId: string, one: EntityWrite) =>
    locked.get(nameOfWrite(orgId, one)) ?? newEntityRow(orgId, one);
  const { results, written, records } = await withPauses(performWrites(requests, rowOf));
  if (written.length > 0) await storeEntities(session, written, searchableOf);
  const kept = new Set(written.map(({ id }) => id));
  const unused = [...locked.values()].filter(({ version, id }) => version === 0 && !kept.has(id));
  if (unused.length > 0) {
    await session.query('DELETE FROM entities WHERE id = ANY($1::text[])', [
      textArray(unused.map(({ id }) => id)),
    ]);
  }
  if (records.length > 0) await putOnRecord(session, records);
  return results;
}

async function putOnRecord(session: Session, entries: readonly Schema['audit'][]): Promise<void> {
  await session.query(
    `INSERT INTO audit (id, org_id, at, actor, action, target, details, address)
     SELECT * FROM unnest(
       $1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])`,
    [
      textArray(entries.map(({ id }) => id)),
      textArray(entries.map(({ org_id }) => org_id)),
      bigintArray(entries.map(({ at }) => at)),
      textArray(entries.map(({ actor }) => actor)),
      textArray(entries.map(({ action }) => action)),
      textArray(entries.map(({ target }) => target)),
      textArray(entries.map(({ details }) => details)),
      textArray(entries.map(({ address }) => address)),
    ],
  );
}

async function readSearchable(
  session: Session,
  requests: readonly EntityWriteRequest[],
): Promise<Map<string, Searchable>> {
  const { rows } = await session.query<{ id: string; searchable_traits: string }>(
    'SELECT id, searchable_traits FROM organisations WHERE id = ANY($1::text[])',
    [textArray([...new Set(requests.map(({ orgId }) => orgId))])],
  );
  return new Map(rows.map(row => [row.id, toSearchable(row.searchable_traits)]));
}

type EntityRow = Schema['entities'];

/** A new one has in every index what it will have there, so that filling it in touches no index again. */
async function lockEntities(
  session: Session,
  requests: readonly EntityWriteRequest[],
  searchableOf: (orgId: string) => Searchable,
): Promise<Map<string, EntityRow>> {
  const wanted = new Map<string, EntityRow>();
  for (const { orgId, writes } of requests) {
    for (const one of writes) {
      const name = nameOfWrite(orgId, one);
      if (!wanted.has(name)) wanted.set(name, newEntityRow(orgId, one, searchableOf(orgId).tag));
    }
  }
  const sorted = [...wanted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  const { rows } = await session.query<EntityRow>(
    `INSERT INTO entities AS known (id, org_id, kind, external_id, traits, trait_times, version, created_at,
       changed, indexed_as)
     SELECT id, org_id, kind, external_id, '', '', 0, 0, changed, indexed_as
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[])
     AS new (id, org_id, kind, external_id, changed, indexed_as)
     ON CONFLICT (org_id, external_id, kind) DO UPDATE SET version = known.version
     RETURNING *`,
    [
      textArray(sorted.map(({ id }) => id)),
      textArray(sorted.map(({ org_id }) => org_id)),
      textArray(sorted.map(({ kind }) => kind)),
      textArray(sorted.map(({ external_id }) => external_id)),
      bigintArray(sorted.map(({ changed }) => changed)),
      textArray(sorted.map(({ indexed_as }) => indexed_as)),
    ],
  );
  return new Map(rows.map(row => [nameOfRow(row), row]));
}

async function storeEntities(
  session: Session,
  entities: readonly WrittenEntity[],
  searchableOf: (orgId: string) => Searchable,
): Promise<void> {
  await session.query(
    `UPDATE entities AS known SET traits = new.traits, trait_times = new.trait_times, version = new.version,
       created_at = new.created_at, changed = new.changed, indexed_as = new.indexed_as
     FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[])
     AS new (id, traits, trait_times, version, created_at, changed, indexed_as)
     WHERE known.id = new.id`,
    [
      textArray(entities.map(({ id }) => id)),
      textArray(entities.map(({ traits }) => traits)),
      textArray(entities.map(({ trait_times }) => trait_times)),
      bigintArray(entities.map(({ version }) => version)),
      bigintArray(entities.map(({ created_at }) => created_at)),
      bigintArray(entities.map(({ changed }) => changed)),
      textArray(entities.map(({ org_id }) => searchableOf(org_id).tag)),
    ],
  );
  const inIndex = await readTraitsInIndex(session, entities, searchableOf);
  const { former, rows } = await withPauses(indexAll(entities, searchableOf, inIndex));
  await deleteIndexRows(session, former);
  await insertIndexRows(session, rows);
}

/** Of the organisations of which some entity was indexed under another set. */
async function readTraitsInIndex(
  session: Session,
  entities: readonly WrittenEntity[],
  searchableOf: (orgId: string) => Searchable,
): Promise<Map<string, Searchable['traits']>> {
  const isStale = ({ before, org_id }: WrittenEntity) =>
    before !== null && before.indexed_as !== '' && before.indexed_as !== searchableOf(org_id).tag;
  const found = new Map<string, Searchable['traits']>();
  for (const orgId of new Set(entities.filter(isStale).map(({ org_id }) => org_id))) {
    // From each to the next, past all the entities that have it.
    const { rows } = await session.query<{ trait: string }>(
      `WITH RECURSIVE names (trait) AS (
         (SELECT trait FROM entity_traits WHERE org_id = $1 ORDER BY trait LIMIT 1)
         UNION ALL
         SELECT (SELECT trait FROM entity_traits WHERE org_id = $1 AND trait > names.trait ORDER BY trait LIMIT 1)
         FROM names WHERE names.trait IS NOT NULL)
       SELECT trait FROM names WHERE trait IS NOT NULL`,
      [orgId],
    );
    found.set(orgId, namedTraits(rows.map(({ trait }) => trait)));
  }
  return found;
}

type IndexRow = Schema['entity_traits'];

function* indexAll(
  entities: readonly WrittenEntity[],
  searchableOf: (orgId: string) => Searchable,
  inIndex: ReadonlyMap<string, Searchable['traits']>,
): Steps<{ former: IndexRow[]; rows: IndexRow[] }> {
  const former: IndexRow[] = [];
  const rows: IndexRow[] = [];
  for (const entity of entities) {
    const searchable = searchableOf(entity.org_id);
    former.push(...formerIndexRowsOf(entity, searchable, () => inIndex.get(entity.org_id) ?? []));
    rows.push(...indexRowsOf(entity, searchable.traits));
    yield;
  }
  return { former, rows };
}

const columnsOf = (rows: readonly IndexRow[]) => [
  textArray(rows.map(({ org_id }) => org_id)),
  textArray(rows.map(({ entity_id }) => entity_id)),
  textArray(rows.map(({ trait }) => trait)),
  textArray(rows.map(({ value }) => value)),
  textArray(rows.map(({ kind }) => kind)),
  bigintArray(rows.map(({ changed }) => changed)),
];

async function deleteIndexRows(session: Session, rows: readonly IndexRow[]): Promise<void> {
  if (rows.length === 0) return;
  await session.query(
    `DELETE FROM entity_traits AS known
     USING unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
       AS former (org_id, entity_id, trait, value, kind, changed)
     WHERE known.org_id = former.org_id AND known.trait = former.trait AND known.value = former.value
       AND known.kind = former.kind AND known.changed = former.changed AND known.entity_id = former.entity_id`,
    columnsOf(rows),
  );
}

async function insertIndexRows(session: Session, rows: readonly IndexRow[]): Promise<void> {
  if (rows.length === 0) return;
  await session.query(
    `INSERT INTO entity_traits (org_id, entity_id, trait, value, kind, changed)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])`,
    columnsOf(rows),
  );
}
