import { afterAll, beforeAll, expect, test } from 'bun:test';
import pg from 'pg';
import { migrations } from '../../src/storage/migrations/index.ts';
import { runCommand } from '../support/command.ts';
import { OPEN_TO_LOOPBACK, routeAllTo } from '../support/delivery-process.ts';
import { acceptedIds, ingestWith } from '../support/endpoints.ts';
import { knowing } from '../support/newer-version.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { refusedStart, type ServerProcess, startProcess } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type Seed, seedOrganisation, TEST_SECRET_KEY } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type Installation, newInstallation } from './prepare.ts';

/** Nodes of this version and of a later one on one database, as they are while one after the other is upgraded. */

let database: FreshDatabase;
let installation: Installation;
let receiver: Receiver;
let seed: Seed;
/** Adds a column to each table that there is. */
let adding: { statements: string[]; onlyAdds: boolean };
const changing = { statements: ['ALTER TABLE nodes RENAME COLUMN host TO machine'], onlyAdds: false };

beforeAll(async () => {
  database = await freshDatabase();
  installation = newInstallation(database.url);
  receiver = startReceiver();
  const engine = await installation.open();
  seed = await seedOrganisation(engine);
  await routeAllTo(engine, seed, receiver.url);
  await engine.close();
  const tables = await look<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  adding = {
    statements: [
      ...tables.map(({ name }) => `ALTER TABLE ${name} ADD COLUMN of_later TEXT NOT NULL DEFAULT 'later'`),
      'CREATE TABLE things_of_later (id TEXT PRIMARY KEY)',
      'CREATE INDEX events_of_later ON events (of_later, id)',
    ],
    onlyAdds: true,
  };
});
afterAll(async () => {
  await receiver.stop();
  await database.drop();
  installation.remove();
});

async function look<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

const withSettings = (settings: Record<string, string>) => ({
  directory: installation.directory,
  settings: { ...installation.settings, ...OPEN_TO_LOOPBACK, ...settings },
});
/** What `sluice doctor` of that version says about the schema. */
async function doctor(settings: Record<string, string> = {}): Promise<string> {
  const all = { ...withSettings(settings).settings, SLUICE_DATA_DIR: installation.directory };
  const { out, err } = await runCommand(['doctor'], { ...all, SLUICE_SECRET_KEY: TEST_SECRET_KEY });
  return /.*schema.*/.exec(out + err)?.[0] ?? out + err;
}
const start = (settings: Record<string, string> = {}) => startProcess(withSettings(settings));

const schema = async () => (await look<{ n: number }>('SELECT count(*)::int AS n FROM schema_version'))[0]?.n;

/** How many events this node has taken to their receiver itself. */
async function deliveredBy({ url }: ServerProcess): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^sluice_deliveries_ended_total\{state="delivered"\} (\d+)/m.exec(metrics)?.[1]);
}

/** Each is ready, takes events in, and takes some to their receiver, which gets all. */
async function expectAtWork(...nodes: readonly ServerProcess[]): Promise<void> {
  for (const { url } of nodes) expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const before = await Promise.all(nodes.map(deliveredBy));
  const sent: string[] = [];
  // What one has no room for, or not yet, another delivers: so it takes some until each has had its share.
  await until(async () => {
    for (const { url } of nodes)
      sent.push(...acceptedIds(await ingestWith(url, seed.apiKey)({ events: [{ type: 'side.by.side' }] })));
    const delivered = await Promise.all(nodes.map(deliveredBy));
    return delivered.every((count, n) => count > (before[n] ?? 0));
  }, 'One of them delivers nothing.');
  const received = () => new Set(receiver.requests.map(({ headers }) => headers.get('x-service-event-id')));
  await until(() => sent.every(id => received().has(id)), 'Not everything is delivered.');
}

const REFUSAL = (found: number, known: number) =>
  `The database was written by a newer Sluice (schema ${found}, this one knows ${known}). Start that version again.`;

test('nodes of two neighbouring versions take in and deliver side by side, until a version changes what was', async () => {
  const known = migrations.length;
  const older = await start();
  await expectAtWork(older);
  expect(await doctor(knowing(adding))).toContain(
    `${known}; the next start brings it to ${known + 1}, beside nodes of the version before`,
  );
  const newer = await start(knowing(adding));
  expect(await schema()).toBe(known + 1);
  await expectAtWork(older, newer);

  expect(await doctor()).toContain(`written by a newer Sluice that only adds to the ${known} of this one`);
  // It may be started again meanwhile, be it for a crash.
  older.kill('SIGTERM');
  expect(await older.ended).toBe(0);
  const again = await start();
  await expectAtWork(newer, again);

  expect(await doctor(knowing(adding, changing))).toContain('stop all nodes before that');
  const newest = await start(knowing(adding, changing));
  expect(await schema()).toBe(known + 2);
  expect([await again.ended, await newer.ended]).not.toContain(0);
  expect(again.output()).toContain(REFUSAL(known + 2, known));
  expect(newer.output()).toContain(REFUSAL(known + 2, known + 1));
  const { end, output } = await refusedStart(withSettings({}));
  expect(end).not.toBe(0);
  expect(output.trim().split('\n')).toEqual([expect.stringContaining(REFUSAL(known + 2, known))]);
  newest.kill('SIGKILL');
  await newest.ended;
});
