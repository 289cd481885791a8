import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import pg from 'pg';
import type { Destination } from '../../../src/delivery/destination.ts';
import { defaultTableDdl } from '../../../src/delivery/destinations/postgres/mapping.ts';
import { postgresDestination } from '../../../src/delivery/destinations/postgres.ts';
import {
  destinationDeps,
  HOSTILE_PAYLOAD,
  payloadText,
  prepareFrom,
  refusalOf,
  sampleDelivery,
} from '../../support/delivery.ts';
import { guardedClient } from '../../support/guarded-client.ts';
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts';
import { startRawReceiver } from '../../support/receiver.ts';
import { until as waitUntil } from '../../support/until.ts';

let database: FreshDatabase;
let admin: pg.Client;
const open: Destination[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
});
afterAll(async () => {
  await Promise.all(open.map(destination => destination.close?.()));
  await admin.end();
  await database.drop();
});
beforeEach(async () => {
  await admin.query(
    'DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP SCHEMA IF EXISTS "My Data" CASCADE',
  );
});

const config = (over: object = {}) => ({ connection_string: database.url, table: 'events', ...over });

function prepare(over: object = {}, deps = destinationDeps()): Destination {
  const destination = prepareFrom(postgresDestination, config(over), deps);
  open.push(destination);
  return destination;
}

const rows = async (table = 'events') =>
  (await admin.query(`SELECT * FROM ${table}`)).rows as Record<string, unknown>[];

const until = (holds: () => Promise<boolean>) => waitUntil(holds, 'It did not come to that.', 5_000);

describe('a test', () => {
  const send = (over: object = {}) => prepare(over).send(sampleDelivery({ isTest: true }));

  test('inserts and rolls back: it says what the database said, and leaves no row', async () => {
    await admin.query(defaultTableDdl('events'));
    const result = await send();
    expect(result).toMatchObject({
      outcome: 'delivered',
      response: 'INSERT 0 1, then ROLLBACK: a test leaves no row',
    });
    expect(await rows()).toEqual([]);
    expect(await prepare().send(sampleDelivery())).toMatchObject({ response: 'INSERT 0 1' });
    expect(await rows()).toHaveLength(1);
  });

  test('shows which constraint would refuse the row, one that is deferred to the commit too', async () => {
    const columns = { amount: '$event.payload.amount', customer: '$event.payload.customer.email' };
    await admin.query('CREATE TABLE customers (email text PRIMARY KEY)');
    await admin.query(`CREATE TABLE events (
      amount numeric CONSTRAINT amount_is_small CHECK (amount < 10),
      customer text CONSTRAINT knows_customer REFERENCES customers DEFERRABLE INITIALLY DEFERRED)`);
    expect(await send({ columns })).toMatchObject({
      outcome: 'failed',
      code: 'rejected_by_destination',
      message: expect.stringContaining('amount_is_small'),
    });
    await admin.query('ALTER TABLE events DROP CONSTRAINT amount_is_small');
    expect(await send({ columns })).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('knows_customer'),
    });
    await admin.query("INSERT INTO customers VALUES ('ada@example.com')");
    expect(await send({ columns })).toMatchObject({ outcome: 'delivered' });
    expect(await rows()).toEqual([]);
  });
});

describe('a row', () => {
  test('of the default table holds the event, and a repeated delivery makes no second one', async () => {
    await admin.query(defaultTableDdl('events'));
    expect(await refusalOf(postgresDestination, config())).toBeNull();
    const destination = prepare();
    const first = await destination.send(sampleDelivery());
    expect(first).toMatchObject({ outcome: 'delivered', response: 'INSERT 0 1' });
    expect(JSON.stringify(first)).not.toContain(new URL(database.url).password);
    const again = await destination.send(sampleDelivery({ attempt: 2 }));
    expect(again).toMatchObject({ outcome: 'delivered', response: 'INSERT 0 0: the row was there already' });
    const [row, ...more] = await rows();
    expect(more).toEqual([]);
    expect(row).toMatchObject({
      id: 'evt_01JZX6C1D2E3F4G5H6J7K8M9NQ',
      type: 'order.paid',
      icon: '🧾',
      source: 'Shop',
      received_at: new Date('2026-01-31T12:00:01.500Z'),
    });
    const { rows: exact } = await admin.query(
      `SELECT payload->>'id' AS id, payload->'customer'->>'name' AS name FROM events`,
    );
    expect(exact).toEqual([{ id: '9007199254740993', name: HOSTILE_PAYLOAD.customer.name }]);
  });

  test('takes values with their types, absent ones as NULL', async () => {
    await admin.query(`CREATE TABLE orders (
      event_id text, big bigint, exact numeric, amount double precision, is_paid boolean, tags text[], raw jsonb,
      old json, label varchar(10), at timestamptz, day date, absent integer, fixed integer, name text, entity text,
      as_text text, missing jsonb)`);
    const columns = {
      event_id: '$event.id',
      big: '$event.payload.id',
      exact: '$event.payload.id',
      amount: '$event.payload.amount',
      is_paid: '$event.payload.isPaid',
      tags: '$event.payload.tags',
      raw: '$event.payload.items',
      old: '$event.payload.customer.email',
      label: '$event.labels.severity',
      at: '$event.timestamp',
      day: '$event.timestamp',
      absent: '$event.payload.absent',
      fixed: 7,
      name: 'Order {{payload.id}} of {{payload.customer.name}}',
      entity: '$event.entity.external_id',
      as_text: '$event.payload.customer',
      missing: '$event.payload.nothing',
    };
    expect(await refusalOf(postgresDestination, config({ table: 'orders', columns }))).toBeNull();
    expect(await prepare({ table: 'orders', columns }).send(sampleDelivery())).toMatchObject({
      outcome: 'delivered',
    });
    const [row] = await rows('orders');
    expect(row).toMatchObject({
      big: '9007199254740993',
      exact: '9007199254740993',
      amount: 42.5,
      is_paid: true,
      tags: ['new', 'vip'],
      raw: [{ sku: 'a' }, { sku: 'b' }],
      old: 'ada@example.com',
      label: 'high',
      at: new Date('2026-01-31T12:00:00Z'),
      absent: null,
      fixed: 7,
      name: 'Order 9007199254740993 of <script>alert(1)</script>',
      entity: 'c-7',
      as_text: '{"email":"ada@example.com","name":"<script>alert(1)</script>"}',
      missing: null,
    });
  });

  test('has NULL for an entity, a source and headers that the event has not', async () => {
    await admin.query('CREATE TABLE bare (id text, entity jsonb, source jsonb, headers jsonb)');
    const columns = {
      id: '$event.id',
      entity: '$event.entity',
      source: '$event.source',
      headers: '$event.headers',
    };
    const delivery = sampleDelivery({ sourceName: null });
    await prepare({ table: 'bare', columns }).send({
      ...delivery,
      event: { ...delivery.event, entity: null },
    });
    expect(await rows('bare')).toEqual([
      { id: delivery.event.id, entity: null, source: null, headers: null },
    ]);
  });

  test('goes into a schema and columns of any name, as they are spelt', async () => {
    await admin.query(
      'CREATE SCHEMA "My Data"; CREATE TABLE "My Data"."Events; DROP" ("the id" text, "größe" text, "select" text)',
    );
    const over = {
      table: 'My Data.Events; DROP',
      columns: { 'the id': '$event.id', größe: '$event.type', select: "'); DROP TABLE x; --" },
    };
    expect(await refusalOf(postgresDestination, config(over))).toBeNull();
    expect(await prepare(over).send(sampleDelivery())).toMatchObject({ outcome: 'delivered' });
    const { rows: found } = await admin.query('SELECT "select" FROM "My Data"."Events; DROP"');
    expect(found).toEqual([{ select: "'); DROP TABLE x; --" }]);
  });

  test('is made once where the id is unique together with what else is mapped', async () => {
    await admin.query(
      'CREATE TABLE parts (id text, at timestamptz, n int, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)',
    );
    await admin.query('CREATE TABLE parts_all PARTITION OF parts DEFAULT');
    const destination = prepare({ table: 'parts', columns: { id: '$event.id', at: '$event.received_at' } });
    for (const attempt of [1, 2])
      expect(await destination.send(sampleDelivery({ attempt }))).toMatchObject({ outcome: 'delivered' });
    expect(await rows('parts')).toHaveLength(1);
  });

  test('that another row stands in the way of is not swallowed', async () => {
    await admin.query('CREATE TABLE people (id text PRIMARY KEY, email text UNIQUE)');
    const columns = { id: '$event.id', email: '$event.payload.customer.email' };
    await admin.query(`INSERT INTO people VALUES ('other', 'ada@example.com')`);
    const destination = prepare({ table: 'people', columns });
    expect(await destination.send(sampleDelivery())).toMatchObject({
      outcome: 'failed',
      code: 'rejected_by_destination',
    });
    await admin.query('DELETE FROM people');
    expect(await destination.send(sampleDelivery())).toMatchObject({ outcome: 'delivered' });
  });

  test('goes in by a user who may do nothing else', async () => {
    await admin.query(
      `${defaultTableDdl('events')} DROP ROLE IF EXISTS writer_only; CREATE ROLE writer_only LOGIN PASSWORD 'pw'`,
    );
    await admin.query('GRANT USAGE ON SCHEMA public TO writer_only; GRANT INSERT ON events TO writer_only');
    const url = new URL(database.url);
    url.username = 'writer_only';
    url.password = 'pw';
    const destination = prepare({ connection_string: url.href });
    expect(await destination.send(sampleDelivery())).toMatchObject({ outcome: 'delivered' });
    await destination.close?.();
    await admin.query('REVOKE ALL ON events FROM writer_only');
    expect(await refusalOf(postgresDestination, config({ connection_string: url.href }))).toMatchObject({
      at: '400 config.table',
    });
    await admin.query('DROP OWNED BY writer_only; DROP ROLE writer_only');
  });
});

describe('a table that does not fit is refused when saved, by name:', () => {
  const refused = async (columns: object | undefined, ddl: string) => {
    await admin.query(ddl);
    return refusalOf(postgresDestination, config(columns ? { columns } : {}));
  };

  test('no table', async () => {
    expect(await refusalOf(postgresDestination, config())).toMatchObject({
      at: '400 config.table',
      message: expect.stringContaining('events'),
    });
  });

  test('no such column', async () => {
    expect(await refused({ id: '$event.id', nope: 1 }, 'CREATE TABLE events (id text)')).toEqual({
      at: '400 config.columns.nope',
      message: 'events has no column nope.',
    });
  });

  test('a column of a type that cannot hold it', async () => {
    const ddl = 'CREATE TABLE events (id uuid, n integer, at integer, raw integer, flag date)';
    expect(await refused({ id: '$event.id' }, ddl)).toMatchObject({
      at: '400 config.columns.id',
      message: 'The column id is uuid, which cannot hold $event.id.',
    });
    const at = async (columns: object) => (await refusalOf(postgresDestination, config({ columns })))?.at;
    expect(await at({ n: '$event.type' })).toBe('400 config.columns.n');
    expect(await at({ at: '$event.received_at' })).toBe('400 config.columns.at');
    expect(await at({ raw: '$event.payload' })).toBe('400 config.columns.raw');
    expect(await at({ flag: true })).toBe('400 config.columns.flag');
    expect(await at({ n: '$event.payload.anything' })).toBeUndefined();
  });

  test('a column that has to be given and is not', async () => {
    const ddl =
      'CREATE TABLE events (id text, tenant text NOT NULL, n serial NOT NULL, at timestamptz NOT NULL DEFAULT now())';
    expect(await refused({ id: '$event.id' }, ddl)).toMatchObject({
      at: '400 config.columns',
      message: expect.stringContaining('tenant'),
    });
  });

  test('a column that the database fills in itself', async () => {
    const ddl =
      'CREATE TABLE events (id text, n int GENERATED ALWAYS AS IDENTITY, twice text GENERATED ALWAYS AS (id || id) STORED)';
    expect(await refused({ n: 1 }, ddl)).toMatchObject({ at: '400 config.columns.n' });
    expect(await refusalOf(postgresDestination, config({ columns: { twice: 'x' } }))).toMatchObject({
      at: '400 config.columns.twice',
    });
  });

  test('a default mapping without its columns', async () => {
    expect(await refused(undefined, 'CREATE TABLE events (id text, type text)')).toMatchObject({
      at: '400 config.columns.icon',
    });
  });
});

describe('nothing is ever changed but rows:', () => {
  test('checking and sending run no DDL', async () => {
    await admin.query(defaultTableDdl('events'));
    await admin.query(`CREATE TABLE ddl (command text); CREATE FUNCTION note() RETURNS event_trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO public.ddl VALUES (tg_tag); END $$`);
    await admin.query('CREATE EVENT TRIGGER watch ON ddl_command_end EXECUTE FUNCTION note()');
    await refusalOf(postgresDestination, config());
    await prepare().send(sampleDelivery());
    await prepare({ table: 'missing' }).send(sampleDelivery());
    await admin.query('DROP EVENT TRIGGER watch');
    expect(await rows('ddl')).toEqual([]);
  });
});

describe('a database', () => {
  test('whose table is locked times out, and lets go', async () => {
    await admin.query(defaultTableDdl('events'));
    const destination = prepare();
    expect(await destination.send(sampleDelivery())).toMatchObject({ outcome: 'delivered' });
    await admin.query('BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    const locked = await Promise.all(
      Array.from({ length: 8 }, () => destination.send(sampleDelivery({ timeoutMs: 400 }))),
    );
    expect(locked.map(result => result.outcome === 'failed' && result.code)).toEqual(
      locked.map(() => 'timeout'),
    );
    // The server has let go too: nobody there still waits for the lock.
    await until(async () => {
      const { rows: waiting } = await admin.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return waiting.length === 0;
    });
    await admin.query('COMMIT');
    expect(await destination.send(sampleDelivery())).toMatchObject({ outcome: 'delivered' });
    expect(await rows()).toHaveLength(1);
  });

  test('that never answers times out with where we come from', async () => {
    const hung = await startRawReceiver(() => {});
    const connection_string = `postgres://u:p@db.test:${hung.port}/d`;
    const result = await prepare({ connection_string }).send(sampleDelivery({ timeoutMs: 200 }));
    expect(result).toMatchObject({ code: 'timeout', message: expect.stringContaining('198.51.100.7') });
    await hung.stop();
    const gone = await prepare({ connection_string }).send(sampleDelivery());
    expect(gone).toMatchObject({ code: 'connection_refused' });
  });

  test('that offers no TLS is not spoken to without it', async () => {
    const connection_string = `${database.url}?sslmode=require`;
    expect(await prepare({ connection_string }).send(sampleDelivery())).toMatchObject({
      code: 'tls_invalid',
    });
  });

  test('that refuses the user or the row says why', async () => {
    const url = new URL(database.url);
    url.password = 'canary';
    const wrong = await prepare({ connection_string: url.href }).send(sampleDelivery());
    expect(wrong).toMatchObject({
      code: 'rejected_by_destination',
      message: expect.stringContaining('28P01'),
    });
    expect(JSON.stringify(wrong)).not.toContain('canary');
    expect(await refusalOf(postgresDestination, config({ connection_string: url.href }))).toMatchObject({
      at: '400 config.connection_string',
    });
    await admin.query('CREATE TABLE events (n integer)');
    const bad = await prepare({ columns: { n: '$event.payload.note' } }).send(sampleDelivery());
    expect(bad).toMatchObject({ code: 'rejected_by_destination', message: expect.stringContaining('22P02') });
  });

  test('whose table changes is looked at again', async () => {
    await admin.query('CREATE TABLE events (id text PRIMARY KEY)');
    const destination = prepare({ columns: { id: '$event.id' } });
    expect(await destination.send(sampleDelivery())).toMatchObject({ outcome: 'delivered' });
    await admin.query('ALTER TABLE events DROP CONSTRAINT events_pkey');
    expect(await destination.send(sampleDelivery())).toMatchObject({ outcome: 'failed' });
    expect(await destination.send(sampleDelivery())).toMatchObject({
      outcome: 'delivered',
      response: 'INSERT 0 1',
    });
  });

  test('that ends our connections is connected to again', async () => {
    await admin.query(defaultTableDdl('events'));
    const destination = prepare();
    await destination.send(sampleDelivery());
    await admin.query(
      'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
    );
    const results = [await destination.send(sampleDelivery()), await destination.send(sampleDelivery())];
    expect(results.at(-1)).toMatchObject({ outcome: 'delivered' });
  });

  test('is asked for few connections, however many deliveries there are', async () => {
    await admin.query(defaultTableDdl('events'));
    const destination = prepare();
    const sent = await Promise.all(
      Array.from({ length: 100 }, (_, i) => {
        const delivery = sampleDelivery();
        return destination.send({
          ...delivery,
          event: { ...delivery.event, id: `evt_${i}` },
          payload: payloadText({ i }),
        });
      }),
    );
    expect(sent.every(({ outcome }) => outcome === 'delivered')).toBe(true);
    expect(await rows()).toHaveLength(100);
    const { rows: connected } = await admin.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'sluice' AND datname = current_database() AND pid <> pg_backend_pid()`,
    );
    expect((connected[0] as { n: number }).n).toBeLessThanOrEqual(open.length * 5);
    await destination.close?.();
  });

  test('at a private address is never connected to', async () => {
    const canary = await startRawReceiver(() => {});
    const strict = destinationDeps({ client: guardedClient({ allow: [] }) });
    for (const host of ['db.test', '127.1', '2130706433', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1']) {
      const connection_string = `postgres://u:p@${host}:${canary.port}/d`;
      const result = await prepare({ connection_string }, strict).send(sampleDelivery());
      expect(result).toMatchObject({ code: 'address_not_allowed' });
      expect(await refusalOf(postgresDestination, config({ connection_string }), strict)).toMatchObject({
        at: '400 config.connection_string',
      });
    }
    expect(canary.connections()).toBe(0);
    await canary.stop();
  });
});

describe('PostgreSQL', () => {
  test('runs its examples', async () => {
    await admin.query(defaultTableDdl('events'));
    await admin.query(
      'CREATE TABLE orders (event_id text UNIQUE, order_id bigint, customer text, amount numeric, raw jsonb, received_at timestamptz)',
    );
    for (const { config: example } of postgresDestination.examples) {
      const here = { ...example, connection_string: database.url };
      expect(await refusalOf(postgresDestination, here)).toBeNull();
      const destination = prepareFrom(postgresDestination, here);
      expect(await destination.send(sampleDelivery())).toMatchObject({ outcome: 'delivered' });
      await destination.close?.();
    }
  });

  const cases: [object, string][] = [
    [{ table: 'ev"ents' }, '400 config.table'],
    [{ table: "ev'ents" }, '400 config.table'],
    [{ table: 'a.b.c' }, '400 config.table'],
    [{ table: '.events' }, '400 config.table'],
    [{ table: '' }, '400 config.table'],
    [{ table: 'x'.repeat(64) }, '400 config.table'],
    [{ columns: { 'a"b': 1 } }, '400 config.columns["a\\"b"]'],
    [{ columns: {} }, '400 config.columns'],
    [{ columns: { a: '$event.nothing' } }, '400 config.columns.a'],
    [{ ca: '/etc/passwd' }, '400 config.ca'],
    ...[
      'nonsense',
      'host=/var/run/postgresql dbname=x',
      '/var/run/postgresql',
      'socket:/var/run/postgresql?db=x',
      'http://db.test/x',
      'postgres:///x',
      'postgres://u:p@/x?host=/var/run',
      'postgres://u:p@%2Fvar%2Frun%2Fpostgresql/x',
      'postgres://u:p@a.test,b.test/x',
      'postgres://db.test/x',
      'postgres://u:p@db.test/x?host=127.0.0.1',
      'postgres://u:p@db.test/x?port=1',
      'postgres://u:p@db.test/x?user=root',
      'postgres://u:p@db.test/x?sslrootcert=/etc/passwd',
      'postgres://u:p@db.test/x?sslkey=/etc/passwd&sslmode=require',
      'postgres://u:p@db.test/x?sslmode=no-verify',
      'postgres://u:p@db.test/x?sslmode=prefer',
      'postgres://u:p@db.test/x?options=-c%20x',
      'postgres://u:%zz@db.test/x',
      'postgres://u:p%00@db.test/x',
    ].map((connection_string): [object, string] => [{ connection_string }, '400 config.connection_string']),
  ];
  for (const [over, at] of cases) {
    test(`is refused when saved with ${JSON.stringify(over)}`, async () => {
      const refusal = await refusalOf(postgresDestination, config(over));
      expect(refusal).toMatchObject({ at });
      expect(refusal?.message).not.toContain('/var/run');
    });
  }
});
