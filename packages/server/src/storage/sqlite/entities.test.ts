import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { deleteEntity } from '../queries/entities/entities.ts';
import { reindexEntities } from '../queries/entities/index.ts';
import type { Schema } from '../schema.ts';
import { indexRowsOf, toSearchable } from '../searchable-traits.ts';
import { prepareWriteEntities } from './entities.ts';
import { migrateSqlite, openForWriting, queryBuilder } from './open.ts';

const directory = mkdtempSync(join(tmpdir(), 'sluice-test-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const names = ['plan', 'seats', 'address.city', '["a b"]'];
const traits = fc.record(
  {
    plan: fc.constantFrom('free', 'pro', null, ['pro'], 'long '.repeat(40)),
    seats: fc.constantFrom(1, 2, true),
    address: fc.record({ city: fc.constantFrom('Berlin', 'Bonn') }),
    'a b': fc.constantFrom('x', 'y'),
  },
  { requiredKeys: [] },
);
const entity = fc.constantFrom('1', '2', '3');
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('write' as const),
      entity,
      traits,
      mode: fc.constantFrom('replace' as const, 'merge' as const),
    }),
  },
  fc.record({ what: fc.constant('declare' as const), names: fc.subarray(names) }),
  fc.record({ what: fc.constant('reindex' as const), limit: fc.constantFrom(1, 10) }),
  fc.record({ what: fc.constant('delete' as const), entity }),
);

test('the index holds what follows from the entities, whatever is written, declared and deleted', async () => {
  const database = openForWriting(join(directory, 'sluice.db'));
  migrateSqlite(database);
  const db = queryBuilder(database);
  const write = prepareWriteEntities(database);
  // Nothing of it need be on disk.
  database.run('BEGIN');
  let changed = 1_700_000_000_000_000;
  let orgs = 0;

  const steps = fc.array(step, { minLength: 5, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(steps, async all => {
      const orgId = `org_${++orgs}`;
      // What every entity said before, it says of one of these sets.
      const sets = new Map([['', toSearchable('[]')]]);
      const declare = (list: readonly string[]) => {
        const setting = JSON.stringify(list);
        database.run(
          `INSERT OR REPLACE INTO organisations (id, name, searchable_traits, created_at) VALUES (?, 'Acme', ?, 0)`,
          [orgId, setting],
        );
        const searchable = toSearchable(setting);
        sets.set(searchable.tag, searchable);
      };
      declare(['plan']);
      for (const one of all) {
        if (one.what === 'declare') declare(one.names);
        else if (one.what === 'reindex') await reindexEntities(db, orgId, one.limit);
        else if (one.what === 'delete')
          await deleteEntity(db, orgId, { kind: 'customer', externalId: one.entity }, null);
        else {
          const { mode } = one;
          const given = { kind: 'customer', externalId: one.entity, traits: JSON.stringify(one.traits) };
          write([{ orgId, writes: [{ ...given, mode, ifMatch: null, changed: ++changed }] }]);
        }
        const entities = database.query('SELECT * FROM entities WHERE org_id = ?').all(orgId);
        const expected = (entities as Schema['entities'][]).flatMap(row =>
          indexRowsOf(row, sets.get(row.indexed_as)?.traits ?? []),
        );
        const found = database.query('SELECT * FROM entity_traits WHERE org_id = ?').all(orgId);
        const sorted = (rows: unknown[]) =>
          (rows as Schema['entity_traits'][])
            .map(({ trait, value, kind, changed: at, entity_id }) =>
              JSON.stringify([trait, value, kind, at, entity_id]),
            )
            .sort();
        expect(sorted(found)).toEqual(sorted(expected));
      }
    }),
    { numRuns: 60 },
  );
  database.run('ROLLBACK');
  database.close();
});
