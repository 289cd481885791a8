import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { DeliveryFilter } from '../../../src/core/stores/delivery.ts';
import { openPostgres } from '../../../src/storage/postgres/engine.ts';
import { listDeliveries } from '../../../src/storage/queries/deliveries/deliveries.ts';
import { freeClaims, listClaims } from '../../../src/storage/queries/upkeep/claims-of-nodes.ts';
import { reopenDeleted } from '../../../src/storage/queries/upkeep/deleted-organisations.ts';
import type { Schema } from '../../../src/storage/schema.ts';
import { migratedDatabase } from '../../support/migrated-database.ts';
import type { FreshDatabase } from '../../support/postgres.ts';

let database: FreshDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await migratedDatabase();
  await (await openPostgres({ url: database.url, onFatal: () => {} })).close();
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
});
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

test('what nodes have claimed is found among all that was ever delivered, by its tokens', async () => {
  await pool.query(
    `INSERT INTO deliveries (id, org_id, event_id, run_id, pipeline_id, pipeline_name, destination_id,
       destination_name, destination_kind, state, attempt, budget_from, due_at, created_at, lease_token)
     SELECT 'dlv_' || n, 'org', 'evt', 'run_' || n, '', '', 'dst', '', '',
       CASE WHEN n % 200 = 0 THEN 'delivering' ELSE 'delivered' END, 1, 0, 0, 0,
       CASE WHEN n % 200 = 0 THEN 'node ' || n % 1000 END
     FROM generate_series(1, 20000) AS n`,
  );
  await pool.query('ANALYZE');
  const asked: { sql: string; parameters: readonly unknown[] }[] = [];
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  });
  const { deliveries } = await listClaims(db);
  expect(deliveries).toEqual(['node 0', 'node 200', 'node 400', 'node 600', 'node 800']);
  expect(
    await freeClaims(
      db,
      { events: [], deliveries: ['node 0'], probes: [], listeners: [], jobs: [], labels: [] },
      10,
      Date.now(),
    ),
  ).toBe(10);
  const ofDeliveries = asked.filter(({ sql }) => sql.includes('deliveries'));
  expect(ofDeliveries).toHaveLength(2);
  for (const { sql, parameters } of ofDeliveries) {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, [...parameters]);
    const plan = rows.map(row => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('deliveries_claimed');
    expect(plan).not.toContain('Seq Scan on deliveries');
  }
});

test('a page of what a destination got is found among all deliveries by an index that holds what has ended', async () => {
  await pool.query(
    `INSERT INTO deliveries (id, org_id, event_id, run_id, pipeline_id, pipeline_name, destination_id,
       destination_name, destination_kind, state, attempt, budget_from, due_at, created_at, finished_at)
     SELECT 'dlv_x' || n, 'org_many', 'evt', 'run_' || n, '', '', CASE WHEN n % 5000 = 0 THEN 'dst_few' ELSE 'dst_many' END,
       '', '', 'delivered', 1, 0, 0, 0, 1 FROM generate_series(1, 20000) AS n`,
  );
  await pool.query('ANALYZE');
  const asked: { sql: string; parameters: readonly unknown[] }[] = [];
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  });
  const page = { limit: 50, below: null };
  for (const state of [undefined, 'delivered'] as const)
    expect(await listDeliveries(db, 'org_many', { state, destination: 'dst_few' }, page)).toHaveLength(4);
  for (const { sql, parameters } of asked) {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, [...parameters]);
    expect(rows.map(row => row['QUERY PLAN']).join('\n')).not.toContain('Seq Scan on deliveries');
  }
  const [last] = asked.slice(-1);
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${last?.sql}`, [
    ...(last?.parameters ?? []),
  ]);
  expect(rows.map(row => row['QUERY PLAN']).join('\n')).toContain('deliveries_ended');
});

test('what failed with a status, or is retried with a code, is found however much was delivered or has died', async () => {
  await pool.query(
    `INSERT INTO destinations (id, org_id, name, kind, config, policy, paused, created_at, updated_at)
     VALUES ('dst_failing', 'org_failing', 'Failing', 'http', '{}', '{}', 0, 0, 0)`,
  );
  await pool.query(
    `INSERT INTO deliveries (id, org_id, event_id, run_id, pipeline_id, pipeline_name, destination_id,
       destination_name, destination_kind, state, attempt, budget_from, due_at, created_at, finished_at, code, attempt_status)
     SELECT 'dlv_f' || n, 'org_failing', 'evt', 'run_' || n, '', '', 'dst_failing', '', '',
       state, 1, 0, 0, 0, CASE WHEN state <> 'retrying' THEN 1 END, CASE WHEN state <> 'delivered' THEN 'timeout' END,
       CASE WHEN state = 'delivered' THEN 200 ELSE 503 END
     FROM generate_series(1, 20000) AS n,
       LATERAL (SELECT CASE WHEN n = 1 THEN 'retrying' WHEN n % 4 = 0 THEN 'dead' ELSE 'delivered' END AS state) AS s`,
  );
  await pool.query('ANALYZE');
  const asked: { sql: string; parameters: readonly unknown[] }[] = [];
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  });
  const plansOf = async (filter: DeliveryFilter, found: number) => {
    asked.length = 0;
    expect(await listDeliveries(db, 'org_failing', filter, { limit: 50, below: null })).toHaveLength(found);
    const plans: string[] = [];
    for (const { sql, parameters } of asked.splice(0)) {
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, [...parameters]);
      plans.push(rows.map(row => row['QUERY PLAN']).join('\n'));
    }
    return plans.join('\n');
  };
  const ofStatus = await plansOf({ status: 500 }, 0);
  expect(ofStatus).not.toContain('Seq Scan on deliveries');
  expect(ofStatus).toContain('deliveries_dead');
  expect(await plansOf({ status: 503, state: 'delivered' }, 0)).toBe('');
  const ofRetrying = await plansOf({ state: 'retrying', code: 'timeout', status: 503 }, 1);
  expect(ofRetrying).toContain('deliveries_retrying');
  expect(ofRetrying).not.toContain('deliveries_by_code');
});
