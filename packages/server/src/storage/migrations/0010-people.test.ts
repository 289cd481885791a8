import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { people } from './0010-people.ts';
import { migrations } from './index.ts';

test('an invitation of before has the maker that the audit log names', () => {
  const database = new Database(':memory:');
  const run = (statements: readonly string[]) => {
    for (const statement of statements) database.run(statement);
  };
  run(migrations.slice(0, migrations.indexOf(people)).flat());
  run([
    `INSERT INTO users VALUES ('usr_1', 'a@example.com', '', 0), ('usr_2', 'b@example.com', '', 0)`,
    ...['inv_1', 'inv_2'].map(
      id => `INSERT INTO invitations VALUES ('${id}', 'org_1', 'x@example.com', 'viewer', '${id}', 0, 9)`,
    ),
    `INSERT INTO audit VALUES ('aud_1', 'org_1', 0, 'b@example.com', 'member.invited', 'inv_1', '{}'),
       ('aud_2', 'org_1', 0, 'a@example.com', 'source.created', 'inv_1', '{}'),
       ('aud_3', 'org_2', 0, 'a@example.com', 'member.invited', 'inv_2', '{}')`,
  ]);
  run(people);
  expect(database.query('SELECT id, invited_by FROM invitations ORDER BY id').all()).toEqual([
    { id: 'inv_1', invited_by: 'usr_2' },
    { id: 'inv_2', invited_by: null },
  ]);
  database.close();
});
