import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { openPostgres } from '../../../src/storage/postgres/engine.ts';
import { reopenDeleted } from '../../../src/storage/queries/upkeep/deleted-organisations.ts';
import type { Schema } from '../../../src/storage/schema.ts';
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts';

let database: FreshDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await freshDatabase();
  await (await openPostgres({ url: database.url, onFatal: () => {} })).close();
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
}, 30_000);
afterAll(async () => {
  await pool.end();
  await database.drop();
});

test('what came late for deleted organisations is looked up, however much others have', async () => {
  await pool.query(
    `INSERT INTO deleted_organisations (org_id, deleted_at, scopes, emptied_at)
     SELECT 'org_' || n, 0, '[]', 0 FROM generate_series(1, 200) AS n`,
  );
  await pool.query(
    `INSERT INTO attempts (org_id, delivery_id, n, at, duration_ms, code, message, request, response)
     SELECT 'org_large', 'dlv_' || n, 1, 0, 0, '', '', '', '' FROM generate_series(1, 20000) AS n`,
  );
  await pool.query('ANALYZE');
  const asked: { sql: string; parameters: readonly unknown[] }[] = [];
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  });
  await reopenDeleted(db);
  expect(asked).toHaveLength(1);
  for (const { sql, parameters } of asked) {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, [...parameters]);
    const plan = rows.map(row => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index (Only )?Scan using attempts_pkey/);
    expect(plan).not.toContain('Seq Scan on attempts');
    expect(plan).not.toContain('hashed SubPlan');
  }
});
