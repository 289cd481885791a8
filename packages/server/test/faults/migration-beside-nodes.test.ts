import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import pg from 'pg';
import { migrations, onlyAdding } from '../../src/storage/migrations/index.ts';
import { migratePostgres } from '../../src/storage/postgres/migrate.ts';
import { databaseFile, openSqlite } from '../../src/storage/sqlite/engine.ts';
import { OPEN_TO_LOOPBACK, routeAllTo } from '../support/delivery-process.ts';
import { restoreDatabaseOfOld } from '../support/first-edition.ts';
import { createLoad, expectPromisesKept } from '../support/load.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import {
  type Seed,
  seedOrganisation,
  startTestService,
  type TestService,
  temporaryDirectory,
} from '../support/service.ts';
import { until } from '../support/until.ts';

/** What the next version does to the schema, while this one is at work on it or meets it afterwards. */
const REFUSAL = `The database was written by a newer Sluice (schema ${migrations.length + 1}, this one knows ${migrations.length}). Start that version again.`;

const failureOf = (opening: Promise<unknown>): Promise<unknown> =>
  opening.then(
    () => 'It was opened.',
    (error: Error) => error.message,
  );

test('a data directory of the next version is refused in one sentence, and left as it is', async () => {
  const directory = temporaryDirectory();
  const open = () => openSqlite({ directory, onFatal: () => {} });
  await (await open()).close();
  const database = new Database(databaseFile(directory));
  database.run(`PRAGMA user_version = ${migrations.length + 1}`);
  const tables = () => database.query('SELECT sql FROM sqlite_schema ORDER BY name').all();
  const before = tables();
  expect(await failureOf(open())).toBe(REFUSAL);
  expect(tables()).toEqual(before);
  database.close();
});

describe('two versions on one PostgreSQL', () => {
  let database: FreshDatabase;
  let node: TestService;
  let seed: Seed;
  let receiver: Receiver;
  beforeAll(async () => {
    database = await freshDatabase();
    receiver = startReceiver(() => new Response());
    const settings = { ...OPEN_TO_LOOPBACK, SLUICE_DATABASE_URL: database.url };
    node = await startTestService({ settings });
    seed = await seedOrganisation(node.engine);
    await routeAllTo(node.engine, seed, receiver.url);
  });
  afterAll(async () => {
    await node.stop();
    receiver.stop();
    await database.drop();
  });

  async function withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** As much as a version may add without the one before having to stop: tables, columns that nobody must fill, indexes. */
  async function additions(): Promise<string[]> {
    const { rows } = await withClient(client =>
      client.query<{ name: string }>(
        `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version'`,
      ),
    );
    expect(rows.length).toBeGreaterThan(20);
    return [
      'CREATE TABLE added (id TEXT PRIMARY KEY)',
      ...rows.map(({ name }) => `ALTER TABLE ${name} ADD COLUMN added_text TEXT`),
      ...rows.map(({ name }) => `ALTER TABLE ${name} ADD COLUMN added_number BIGINT NOT NULL DEFAULT 0`),
      'CREATE INDEX events_by_addition ON events (org_id, added_number)',
    ];
  }

  test('a node goes on to accept and to deliver while the next version adds to every table', async () => {
    const load = createLoad(seed, await seed.source('hmac'));
    const { answers, stop } = load.persist([node.url]);
    const accepted = async (more: number) => {
      const count = () => answers.filter(({ status }) => status === 202).length;
      const enough = count() + more;
      await until(() => count() >= enough, 'Nothing is accepted any more.');
    };
    await accepted(30);
    const step = await additions();
    (onlyAdding as Set<readonly string[]>).add(step);
    await withClient(client => migratePostgres(client, [...migrations, step]));
    // People go on to change things, too.
    await routeAllTo(node.engine, seed, receiver.url);
    await accepted(60);
    await stop();
    await expectPromisesKept(node.engine, seed.orgId, load.requests);
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].toSorted()).toEqual([202, 400]);

    const all = load.requests.flatMap(({ endpoint, outcome }) =>
      endpoint === 'ingest' && outcome?.kind === 'accepted' ? outcome.ids : [],
    );
    const arrived = () => new Set(receiver.requests.map(({ headers }) => headers.get('x-service-event-id')));
    await until(() => all.every(id => arrived().has(id)), 'Not everything arrives.');
    expect((await fetch(`${node.url}/readyz`)).status).toBe(200);
  });

  test('a migration that meets a node head-on is tried again', async () => {
    const fresh = await freshDatabase();
    const connect = async (deadlockTimeout: string) => {
      const client = new pg.Client({ connectionString: fresh.url });
      await client.connect();
      await client.query(`SET deadlock_timeout = '${deadlockTimeout}'`);
      return client;
    };
    // Of the two that wait for each other, the migration is the one that is told so.
    const [migrating, busy, watching] = [await connect('1s'), await connect('1h'), await connect('1h')];
    await migratePostgres(migrating);
    await busy.query('BEGIN; LOCK TABLE deliveries');
    const step = ['ALTER TABLE events ADD COLUMN added TEXT', 'ALTER TABLE deliveries ADD COLUMN added TEXT'];
    const migrated = migratePostgres(migrating, [...migrations, step]);
    await until(async () => {
      const { rows } = await watching.query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return rows.length === 1;
    }, 'It does not wait.');
    await busy.query('LOCK TABLE events');
    await busy.query('COMMIT');
    await migrated;
    const { rows } = await watching.query('SELECT added FROM events, schema_version');
    expect(rows).toEqual([]);
    await Promise.all([migrating, busy, watching].map(client => client.end()));
    await fresh.drop();
  });
});

describe('a real migration that only adds', () => {
  interface Table {
    readonly name: string;
    readonly columns: readonly string[];
    readonly values: readonly string[];
    readonly unique: number;
  }

  /** With a value for each column, since a node names all that it knows. What others refer to comes first. */
  async function tablesOf(client: pg.Client): Promise<Table[]> {
    const { rows } = await client.query<Table>(
      `SELECT relname AS name,
         array_agg(quote_ident(attname) ORDER BY attnum) AS columns,
         array_agg(CASE atttypid WHEN 'text'::regtype THEN '''of a node of then''' ELSE '7' END ORDER BY attnum) AS values,
         (SELECT count(*)::int FROM pg_index WHERE indrelid = pg_class.oid AND indisunique) AS unique
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'schema_version'
       GROUP BY pg_class.oid
       ORDER BY (SELECT count(*) FROM pg_constraint WHERE conrelid = pg_class.oid AND contype = 'f'), relname`,
    );
    return rows;
  }

  /** Every row of each by the columns of then, among them one that is written by these and taken back. */
  async function askAsThen(client: pg.Client, tables: readonly Table[]): Promise<unknown[][][]> {
    await client.query('BEGIN');
    for (const { name, columns, values } of tables)
      await client.query(`INSERT INTO ${name} (${columns}) VALUES (${values})`);
    const answers: unknown[][][] = [];
    for (const { name, columns } of tables) {
      const text = `SELECT ${columns} FROM ${name} ORDER BY ${columns}`;
      answers.push((await client.query<unknown[]>({ text, rowMode: 'array' })).rows);
    }
    await client.query('ROLLBACK');
    return answers;
  }

  test('leaves the tables of the version before to be written and read as that version does', async () => {
    const fresh = await freshDatabase();
    const client = new pg.Client({ connectionString: fresh.url });
    await client.connect();
    await restoreDatabaseOfOld(client);
    let checked = 0;
    for (const [n, step] of migrations.entries()) {
      if (!onlyAdding.has(step)) continue;
      await migratePostgres(client, migrations.slice(0, n));
      const before = await tablesOf(client);
      const was = await askAsThen(client, before);
      await migratePostgres(client, migrations.slice(0, n + 1));
      const now = await askAsThen(client, before);
      const after = new Map((await tablesOf(client)).map(({ name, unique }) => [name, unique]));
      for (const [i, { name, unique }] of before.entries()) {
        // Where there was nothing, a value may have been filled in.
        const kept = now[i]?.map((row, r) =>
          row.map((value, c) => (was[i]?.[r]?.[c] === null ? null : value)),
        );
        // One more that is unique would refuse what a node of then writes.
        expect({ name, rows: kept, unique: after.get(name) }).toEqual({ name, rows: was[i], unique });
      }
      checked++;
    }
    expect(checked).toBeGreaterThan(5);
    await client.end();
    await fresh.drop();
  });
});
