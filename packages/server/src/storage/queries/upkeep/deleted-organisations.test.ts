import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { migrations } from '../../migrations/index.ts';

test('no table that belongs to an organisation is left out when it is deleted', () => {
  const removal = readFileSync(new URL('./deleted-organisations.ts', import.meta.url), 'utf8');
  const owned = migrations.flat().flatMap(statement => {
    const [, table] = /^CREATE TABLE (\w+)/.exec(statement) ?? [];
    return table !== undefined && statement.includes('org_id TEXT NOT NULL') ? [table] : [];
  });
  expect(owned).toContain('events');
  // Counters have their own way out, which is called by its name.
  const named = (table: string) => removal.includes(`'${table}'`) || table === 'counters';
  expect(owned.filter(table => !named(table))).toEqual([]);
});
