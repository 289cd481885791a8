import type { Database } from 'bun:sqlite';
import { LRUCache } from 'lru-cache';
import type { EntityWrite } from '../../core/entities/write.ts';
import type { EntityWriteRequest, EntityWriteResult } from '../../core/stores/entities.ts';
import { atOnce } from '../../core/work/in-steps.ts';
import { newEntityRow, performWrites, type WrittenEntity } from '../entity-writes.ts';
import type { Schema } from '../schema.ts';
import {
  formerIndexRowsOf,
  indexRowsOf,
  NOT_SEARCHABLE,
  namedTraits,
  type Searchable,
  toSearchable,
} from '../searchable-traits.ts';

const MOST_CACHED = 1_000;

const INDEX_KEY = 'org_id = ? AND trait = ? AND value = ? AND kind = ? AND changed = ? AND entity_id = ?';

/**
 * Writes entities inside the writer's transaction. Prepared, because entities are written as often as events: built
 * for each call, the same statements took ten times as long.
 */
export function prepareWriteEntities(
  database: Database,
): (requests: readonly EntityWriteRequest[]) => EntityWriteResult[] {
  const readSetting = database.prepare<{ searchable_traits: string }, [string]>(
    'SELECT searchable_traits FROM organisations WHERE id = ?',
  );
  const find = database.prepare<Schema['entities'] & { row_number: number }, [string, string, string]>(
    'SELECT rowid AS row_number, * FROM entities WHERE org_id = ? AND external_id = ? AND kind = ?',
  );
  const insert = database.prepare(
    `INSERT INTO entities (traits, trait_times, version, changed, indexed_as, id, org_id, kind, external_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // SQLite writes every index whose column a statement names, also where the value stays: so there are two of these.
  const update = database.prepare(
    'UPDATE entities SET traits = ?, trait_times = ?, version = ?, changed = ? WHERE rowid = ?',
  );
  const updateWithTag = database.prepare(
    'UPDATE entities SET traits = ?, trait_times = ?, version = ?, changed = ?, indexed_as = ? WHERE rowid = ?',
  );
  const unindex = database.prepare(`DELETE FROM entity_traits WHERE ${INDEX_KEY}`);
  const reindex = database.prepare(`UPDATE entity_traits SET value = ?, changed = ? WHERE ${INDEX_KEY}`);
  const index = database.prepare(
    'INSERT INTO entity_traits (org_id, entity_id, trait, value, kind, changed) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const nextInIndex = database.prepare<{ trait: string }, [string, string]>(
    'SELECT trait FROM entity_traits WHERE org_id = ? AND trait > ? ORDER BY trait LIMIT 1',
  );
  const putOnRecord = database.prepare(
    'INSERT INTO audit (id, org_id, at, actor, action, target, details, address) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const known = new LRUCache<string, Searchable>({ max: MOST_CACHED });

  function searchableOf(orgId: string): Searchable {
    const setting = readSetting.get(orgId)?.searchable_traits;
    if (setting === undefined) return NOT_SEARCHABLE;
    const cached = known.get(setting);
    if (cached !== undefined) return cached;
    const searchable = toSearchable(setting);
    known.set(setting, searchable);
    return searchable;
  }

  /** `rowNumber` is where it stands already; found once, it need not be looked up by its id again. */
  function store(entity: WrittenEntity, rowNumber: number | undefined, searchable: Searchable): void {
    const { traits, trait_times, version, changed, id, org_id, kind, external_id, created_at } = entity;
    if (rowNumber === undefined) {
      insert.run(
        traits,
        trait_times,
        version,
        changed,
        searchable.tag,
        id,
        org_id,
        kind,
        external_id,
        created_at,
      );
    } else if (entity.before?.indexed_as === searchable.tag) {
      update.run(traits, trait_times, version, changed, rowNumber);
    } else {
      updateWithTag.run(traits, trait_times, version, changed, searchable.tag, rowNumber);
    }
    indexTraits(entity, searchable);
  }

  /** What stays in the index is moved there with one statement, which touches fewer pages than taking it out first. */
  function indexTraits(entity: WrittenEntity, searchable: Searchable): void {
    const { id, org_id, kind } = entity;
    const former = formerIndexRowsOf(entity, searchable, () => traitsInIndex(org_id));
    const rows = indexRowsOf(entity, searchable.traits);
    for (const { trait, value, changed } of former) {
      if (rows.some(row => row.trait === trait)) continue;
      unindex.run(org_id, trait, value, kind, changed, id);
    }
    for (const { trait, value, changed } of rows) {
      const before = former.find(row => row.trait === trait);
      const isMoved =
        before !== undefined &&
        reindex.run(value, changed, org_id, trait, before.value, kind, before.changed, id).changes > 0;
      if (!isMoved) index.run(org_id, id, trait, value, kind, changed);
    }
  }

  function traitsInIndex(orgId: string): Searchable['traits'] {
    const names: string[] = [];
    for (let found = nextInIndex.get(orgId, ''); found; found = nextInIndex.get(orgId, found.trait)) {
      names.push(found.trait);
    }
    return namedTraits(names);
  }

  return requests => {
    const rowNumbers = new Map<string, number>();
    const rowOf = (orgId: string, write: EntityWrite) => {
      const row = find.get(orgId, write.externalId, write.kind);
      if (row === null) return newEntityRow(orgId, write);
      rowNumbers.set(row.id, row.row_number);
      return row;
    };
    const { results, written, records } = atOnce(performWrites(requests, rowOf));
    for (const [orgId, entities] of Map.groupBy(written, ({ org_id }) => org_id)) {
      const searchable = searchableOf(orgId);
      for (const entity of entities) store(entity, rowNumbers.get(entity.id), searchable);
    }
    for (const { id, org_id, at, actor, action, target, details, address } of records) {
      putOnRecord.run(id, org_id, at, actor, action, target, details, address);
    }
    return results;
  };
}
