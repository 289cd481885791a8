import { afterAll, beforeAll, expect, test } from 'bun:test';
import pg from 'pg';
import { newId } from '../../src/core/ids.ts';
import { aDestination } from '../contract/storage/delivery-samples.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Two nodes on one database that both look for trouble: one of them tells of it. */

let database: FreshDatabase;
let client: pg.Client;
let nodes: TestService[];
let seed: Seed;
beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const start = () =>
    startTestService({ settings: { SLUICE_DATABASE_URL: database.url }, alertsEveryMs: 20 });
  const first = await start();
  nodes = [first, await start()];
  seed = await seedOrganisation(first.engine);
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await client.end();
  await database.drop();
});

const alertsOf = async (type: string) =>
  (
    await client.query<{ id: string; payload: string }>(
      'SELECT id, payload FROM events WHERE org_id = $1 AND type = $2',
      [seed.orgId, type],
    )
  ).rows;
const holder = async () =>
  (await client.query<{ value: string }>("SELECT value FROM settings WHERE name = 'alerts.turn'")).rows[0]
    ?.value;

/** Both nodes have the turn by turns, however briefly each looks. */
async function handOver(): Promise<void> {
  const before = (await holder())?.split(' ')[0];
  await client.query("UPDATE settings SET value = 'nobody 0' WHERE name = 'alerts.turn'");
  await until(async () => {
    const now = (await holder())?.split(' ')[0];
    if (now === before)
      await client.query("UPDATE settings SET value = 'nobody 0' WHERE name = 'alerts.turn'");
    return now !== before && now !== 'nobody';
  }, 'The other node never had its turn.');
}

test('a destination that goes down and comes back makes one event each, whichever node looks', async () => {
  const [{ engine }] = nodes as [TestService, TestService];
  const { id } = aDestination(seed.orgId, { id: newId('dst') });
  await engine.configuration.createDestination(aDestination(seed.orgId, { id }));
  const now = Date.now();
  const opened = { openedAt: now, nextProbeAt: now + 3_600_000, failure: 'It answered 503.' };
  await engine.configuration.openBreaker(seed.orgId, id, opened);
  await until(async () => (await alertsOf('sluice.destination.down')).length > 0, 'Nobody told of it.');
  await handOver();
  await handOver();
  await engine.configuration.closeBreaker(seed.orgId, id);
  await until(
    async () => (await alertsOf('sluice.destination.recovered')).length > 0,
    'Nobody told of that.',
  );
  await handOver();
  await handOver();
  expect(await alertsOf('sluice.destination.down')).toHaveLength(1);
  expect(await alertsOf('sluice.destination.recovered')).toHaveLength(1);
});

test('two looks at once, on both nodes, make one event', async () => {
  const [a, b] = nodes as [TestService, TestService];
  const key = {
    orgId: seed.orgId,
    type: 'sluice.backlog.growing' as const,
    subjectId: seed.orgId,
  };
  const begun = await Promise.all(
    [a, b].map(({ engine }, n) => engine.alerts.beginAlert({ ...key, since: n, details: null }, 0)),
  );
  expect(begun[0]?.since).toBe(begun[1]?.since ?? -1);
});

test('a node that is lost is told of in the first organisation, once', async () => {
  await client.query("INSERT INTO nodes (id, seen_at, roles) VALUES ('node_lost', 0, 'deliver,process')");
  await until(async () => (await alertsOf('sluice.node.lost')).length > 0, 'Nobody missed it.');
  await handOver();
  const lost = await alertsOf('sluice.node.lost');
  expect(lost).toHaveLength(1);
  expect(JSON.parse(lost[0]?.payload ?? '')).toMatchObject({
    subject: { kind: 'node', id: 'node_lost', name: 'node_lost', subtype: 'deliver,process' },
    since: '1970-01-01T00:00:00.000Z',
  });
});
