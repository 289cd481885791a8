import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { traitsInOrder } from './0018-traits-in-order.ts';
import { migrations } from './index.ts';

test('what was indexed before stays in the index, and its entities under their set', () => {
  const database = new Database(':memory:');
  const run = (statements: readonly string[]) => {
    for (const statement of statements) database.run(statement);
  };
  run(migrations.slice(0, migrations.indexOf(traitsInOrder)).flat());
  run([
    `INSERT INTO entities VALUES ('ent_1', 'org_1', 'customer', 'c1', '{"plan":"pro"}', '{"plan":7}', 1, 0, 7, 'tag')`,
    `INSERT INTO entity_traits (org_id, entity_id, trait, value, kind, changed)
       VALUES ('org_1', 'ent_1', 'seats', '2', 'customer', 7), ('org_1', 'ent_1', 'plan', 'pro', 'customer', 7)`,
  ]);
  run(traitsInOrder);
  const row = { org_id: 'org_1', kind: 'customer', changed: 7, entity_id: 'ent_1' };
  expect(database.query('SELECT * FROM entity_traits').all()).toEqual([
    { ...row, trait: 'plan', value: 'pro' },
    { ...row, trait: 'seats', value: '2' },
  ]);
  expect(database.query('SELECT indexed_as FROM entities').all()).toEqual([{ indexed_as: 'tag' }]);
  database.close();
});
