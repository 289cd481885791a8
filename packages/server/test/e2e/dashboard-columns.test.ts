import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TableColumnsRecord } from '@sluice/contract/dashboard-deliveries';
import pg from 'pg';
import { type Browser, dataOf, join, setUp, stranger } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: Browser;
let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
  service = await startTestService({
    settings: { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_EGRESS_ADDRESSES: '198.51.100.7' },
  });
  owner = await setUp(service);
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`CREATE TABLE orders (
    n bigint GENERATED ALWAYS AS IDENTITY,
    event_id text UNIQUE NOT NULL,
    amount numeric(10, 2),
    raw jsonb NOT NULL DEFAULT '{}')`);
  await admin.end();
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

const look = (config: object, browser = owner, more: object = {}) =>
  browser.post('/destinations/columns', { kind: 'postgres', config, ...more });

test('the columns of a table are found before anything is saved', async () => {
  const found = dataOf<TableColumnsRecord>(await look({ connection_string: database.url, table: 'orders' }));
  expect(found).toMatchObject({ table: 'orders', exists: true, may_insert: true });
  expect(found.columns).toEqual([
    { name: 'n', type: 'bigint', required: false, generated: true, unique: false },
    { name: 'event_id', type: 'text', required: true, generated: false, unique: true },
    { name: 'amount', type: 'numeric(10,2)', required: false, generated: false, unique: false },
    { name: 'raw', type: 'jsonb', required: false, generated: false, unique: false },
  ]);
  expect(found.default_columns).toMatchObject({ id: '$event.id' });
});

test('where there is no table yet, there is one to paste', async () => {
  const found = dataOf<TableColumnsRecord>(
    await look({ connection_string: database.url, table: 'public.events' }),
  );
  expect(found).toMatchObject({ exists: false, columns: [] });
  expect(found.ddl).toStartWith('CREATE TABLE "public"."events" (');
});

test('the secret of a destination that is saved serves to look again, for those it belongs to only', async () => {
  const { id } = dataOf<{ id: string }>(
    await owner.post('/destinations', {
      kind: 'postgres',
      name: 'Orders',
      config: { connection_string: database.url, table: 'orders', columns: { event_id: '$event.id' } },
    }),
  );
  const kept = { connection_string: { set: true }, table: 'orders' };
  expect(dataOf<TableColumnsRecord>(await look(kept, owner, { id })).columns).toHaveLength(4);
  expectRefused(await look(kept), {
    status: 400,
    code: 'validation_failed',
    path: 'config.connection_string',
  });
  const theirs = await stranger(service.url, owner, 'stranger@example.com');
  expectRefused(await look(kept, theirs, { id }), { status: 404, code: 'not_found' });
  const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
  expectRefused(await look(kept, viewer, { id }), { status: 403, code: 'forbidden' });
});

test('a look goes through the guard, and only to kinds that have a table', async () => {
  for (const connection_string of ['postgres://u:p@10.0.0.1/db', 'postgres:///db?host=/var/run']) {
    const answer = await look({ connection_string, table: 'orders' });
    expectRefused(answer, { status: 400, code: 'validation_failed', path: 'config.connection_string' });
  }
  const answer = await owner.post('/destinations/columns', { kind: 'inbox' });
  expectRefused(answer, { status: 400, code: 'validation_failed', path: 'kind' });
});

test('a kind says where its connections come from, and which fields nobody fills in', async () => {
  const kinds = dataOf<{ kind: string; egress_addresses: string[]; schema: object }[]>(
    await owner.get('/kinds/destinations'),
  );
  for (const { egress_addresses } of kinds) expect(egress_addresses).toEqual(['198.51.100.7']);
  const webhook = JSON.stringify(kinds.find(({ kind }) => kind === 'webhook')?.schema);
  expect(webhook.match(/"readOnly":true/g)).toHaveLength(2);
  const postgres = JSON.stringify(kinds.find(({ kind }) => kind === 'postgres')?.schema);
  expect(postgres).toContain('"aid":"table_columns"');
});

test('a destination says whether it has a secret of ours to rotate, and how long the one before holds', async () => {
  const rotationOf = async (body: object) =>
    dataOf<{ id: string; rotation: unknown }>(await owner.post('/destinations', { name: 'x', ...body }));
  const url = 'https://1.1.1.1/hook';
  expect(await rotationOf({ kind: 'inbox' })).toMatchObject({ rotation: null });
  expect(await rotationOf({ kind: 'webhook', config: { url } })).toMatchObject({ rotation: null });
  const signed = await rotationOf({ kind: 'webhook', config: { url, auth: { mode: 'hmac' } } });
  expect(signed).toMatchObject({ rotation: { previous_secret_until: null } });
  const { rotation, config } = dataOf<{ rotation: { previous_secret_until: string }; config: object }>(
    await owner.post(`/destinations/${signed.id}/rotate`, { overlap_s: 3_600 }),
  );
  const auth = { secret: { set: true }, previous_secret: { set: true }, ...rotation };
  expect(config).toEqual({ url, auth: { mode: 'hmac', ...auth } });
  expect(rotation.previous_secret_until).toMatch(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
  const sentBack = await owner.patch(`/destinations/${signed.id}`, { config });
  expect(dataOf(sentBack)).toMatchObject({ rotation, config });
  const left = Date.parse(rotation.previous_secret_until) - Date.now();
  expect(left).toBeGreaterThan(3_500_000);
  expect(left).toBeLessThanOrEqual(3_600_000);
});
