import { afterAll, beforeAll, expect, test } from 'bun:test';
import pg from 'pg';
import { newId } from '../../src/core/ids.ts';
import type { StoredDestination } from '../../src/core/stores/configuration/destinations.ts';
import type { StorageEngine } from '../../src/core/stores/engine.ts';
import { OPEN_TO_LOOPBACK } from '../support/delivery-process.ts';
import { acceptedIds, ingestWith } from '../support/endpoints.ts';
import { moodStep, openaiAnswer, startModel } from '../support/model.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { type ServerProcess, startProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Seed, seedOrganisation } from '../support/service.ts';
import { until } from '../support/until.ts';
import { type Installation, newInstallation } from './prepare.ts';

/** Nodes on one database, of which one is killed or stopped in the middle of its work. Its neighbours go on with it. */

/** Silence, a look for it, and the work itself, on a slow machine. A lease of before took seven minutes here. */
const TAKEN_OVER_WITHIN_MS = 90_000;
/** What hangs does so for longer than any test. */
const TIMEOUT_S = 300;

let database: FreshDatabase;
let client: pg.Client;
let installation: Installation;
let engine: StorageEngine;
let seed: Seed;
beforeAll(async () => {
  database = await freshDatabase();
  installation = newInstallation(database.url);
  engine = await installation.open();
  seed = await seedOrganisation(engine);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await engine.close();
  await client.end();
  await database.drop();
  installation.remove();
});

const startNode = () =>
  startProcess({
    directory: installation.directory,
    settings: { ...installation.settings, ...OPEN_TO_LOOPBACK, SLUICE_LOG_LEVEL: 'warn' },
  });

/** What the database counts. */
const look = async (statement: string, ...values: unknown[]): Promise<number> =>
  Number((await client.query<{ n: string }>(`SELECT (${statement}) AS n`, values)).rows[0]?.n);
const nodeIds = async () =>
  (await client.query<{ id: string }>('SELECT id FROM nodes ORDER BY id')).rows.map(({ id }) => id);
/** By the clock of the database, in seconds. */
const databaseTime = () => look('extract(epoch FROM clock_timestamp())');

/** The node that has joined since these were all. */
async function joinedAfter(known: readonly string[]): Promise<string> {
  let joined: string | undefined;
  await until(async () => {
    joined = (await nodeIds()).find(id => !known.includes(id));
    return joined !== undefined;
  }, 'No node joined.');
  return joined ?? '';
}

/** Everything of these types goes to this address. */
async function route(match: string, url: string, concurrency: number, steps: readonly unknown[] = []) {
  const { orgId } = seed;
  const now = Date.now();
  const times = { createdAt: now, updatedAt: now };
  const [source, destination] = [newId('src'), newId('dst')];
  const sdk = {
    kind: 'sdk',
    id: source,
    orgId,
    name: match,
    enabled: true,
    match,
    lastEventAt: null,
  } as const;
  await engine.configuration.createSource({ ...sdk, ...times });
  const stored: StoredDestination = {
    ...{ id: destination, orgId, kind: 'webhook', name: match, paused: false },
    config: JSON.stringify({ url, auth: { mode: 'none' } }),
    policy: { attempts: 3, schedule_s: [0], timeout_s: TIMEOUT_S, concurrency, rate_per_second: 0 },
    breaker: null,
    listenerToken: null,
    formerPolicies: [],
    ...times,
  };
  await engine.configuration.createDestination(stored);
  const definition = { name: match, sources: [source], steps, destinations: [{ id: destination }] };
  const pipeline = { id: newId('pipe'), orgId, name: match, enabled: true, version: 1, ...times };
  await engine.configuration.createPipeline({ ...pipeline, definition: JSON.stringify(definition) }, 'test');
  return destination;
}

async function send(to: ServerProcess, type: string, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, (_, n) => ({ type, payload: { n } }));
  return acceptedIds(await ingestWith(to.url, seed.apiKey)({ events }));
}

/** A receiver that leaves its first requests hanging, and records whose events it answered, as often as it did. */
function startHanging(first: number) {
  let asked = 0;
  const answered: string[] = [];
  const receiver = startReceiver(({ headers }) => {
    if (asked++ < first) return new Promise<Response>(() => {});
    answered.push(headers.get('x-service-event-id') ?? '');
    return new Response('');
  });
  return { receiver, answered };
}

const claimedBy = (node: string) =>
  look(
    `(SELECT count(*) FROM deliveries WHERE state = 'delivering' AND lease_token LIKE $1)
     + (SELECT count(*) FROM events WHERE claim_token LIKE $1) + (SELECT count(*) FROM event_claims WHERE token LIKE $1)
     + (SELECT count(*) FROM labels WHERE lease_token LIKE $1)
     + (SELECT count(*) FROM jobs WHERE lease_token LIKE $1)`,
    `${node} %`,
  );

/** Once all nodes have written what they had counted, and what the dead ones took with them is counted again. */
async function expectFiguresOfAllThatIsStored(): Promise<void> {
  while (await engine.upkeep.recountAfter(0));
  const numbersOf = async (statement: string) => {
    const { rows } = await client.query<{ name: string; n: string }>(statement);
    return Object.fromEntries(rows.map(({ name, n }) => [name, Number(n)]));
  };
  const stored = await numbersOf(
    `SELECT 'of all ' || state AS name, count(*) AS n FROM events GROUP BY state
     UNION ALL SELECT 'of all received', count(*) FROM events
     UNION ALL SELECT 'of all delivered', count(*) FROM deliveries WHERE state = 'delivered'
     UNION ALL SELECT destination_id || ' delivered', count(*) FROM deliveries WHERE state = 'delivered'
       GROUP BY destination_id`,
  );
  for (const span of [60_000, 3_600_000]) {
    const counted = await numbersOf(
      `SELECT CASE subject WHEN '' THEN 'of all' ELSE subject END || ' ' || name AS name, sum(amount) AS n
       FROM counters WHERE span = ${span} AND (name = 'delivered'
         OR subject = '' AND name IN ('received', 'processed', 'dropped', 'failed', 'unrouted'))
       GROUP BY subject, name HAVING sum(amount) <> 0`,
    );
    expect(counted).toEqual(stored);
  }
}

/** A replay of these that a node is in the middle of, in one statement: nobody else can claim it first. */
async function addClaimedJob(node: string, eventId: string): Promise<string> {
  const id = newId('job');
  await client.query(
    `INSERT INTO jobs (id, org_id, kind, state, request, total, done, failed, position, notes, lease_until,
       lease_token, created_by, created_at, finished_at)
     VALUES ($1, $2, 'replay', 'running', $3, 0, 0, 0, NULL, '[]', $4, $5, 'test', $6, NULL)`,
    [
      id,
      seed.orgId,
      JSON.stringify({ filter: {}, version: 'current', eventId }),
      Date.now() + 3_600_000,
      `${node} job`,
      Date.now(),
    ],
  );
  return id;
}

test('killed under load: others go on with its deliveries, events, labels and jobs, and nothing is lost', async () => {
  const [slow, quick] = [startHanging(4), startHanging(0)];
  const model = startModel();
  const { promise: never } = Promise.withResolvers<Response>();
  model.answer(() => never);
  await route('slow.*', slow.receiver.url, 4);
  await route('quick.*', quick.receiver.url, 16);
  await route('model.*', quick.receiver.url, 16, [moodStep(model, { timeout_s: 120 })]);

  const doomed = await startNode();
  const node = await joinedAfter([]);
  // Four are under way, and more wait behind them.
  const ids = [...(await send(doomed, 'slow.x', 8)), ...(await send(doomed, 'model.x', 2))];
  await until(() => slow.receiver.requests.length === 4 && model.asked.length === 2, 'It does not work.');
  const other = await startNode();
  await joinedAfter([node]);
  ids.push(...(await send(doomed, 'quick.x', 100)), ...(await send(other, 'quick.x', 100)));
  const job = await addClaimedJob(node, ids[0] ?? '');
  const killedAt = await databaseTime();
  doomed.kill('SIGKILL');
  expect(await doomed.ended).toBe('SIGKILL');
  model.answer(() => openaiAnswer({ content: '{"mood":"good"}' }));
  // The deliveries that hang, events, labels, the job: all of it is still in its name.
  expect(await claimedBy(node)).toBeGreaterThanOrEqual(4 + 2 + 2 + 1);

  await until(async () => (await claimedBy(node)) === 0, 'Its claims are not free.', TAKEN_OVER_WITHIN_MS);
  const freedAfter = (await databaseTime()) - killedAt;
  const open = `(SELECT count(*) FROM events WHERE state IN ('accepted', 'claimed', 'deferred'))
    + (SELECT count(*) FROM deliveries WHERE state <> 'delivered')
    + (SELECT count(*) FROM jobs WHERE finished_at IS NULL)`;
  await until(async () => (await look(open)) === 0, 'Something is left behind.', TAKEN_OVER_WITHIN_MS);
  const doneAfter = (await databaseTime()) - killedAt;
  console.log(
    `killed: claims free after ${freedAfter.toFixed(1)} s, all done after ${doneAfter.toFixed(1)} s`,
  );

  expect(new Set([...slow.answered, ...quick.answered])).toEqual(new Set(ids));
  // One run for each event and one more for the replay, each with its delivery.
  expect([
    await look('SELECT count(*) FROM all_runs'),
    await look('SELECT count(*) FROM deliveries'),
  ]).toEqual([ids.length + 1, ids.length + 1]);
  expect(await look('SELECT done FROM jobs WHERE id = $1', job)).toBe(1);
  expect(other.output()).toContain('declared dead');
  expect(other.output()).toContain(node);
  const metrics = await (await fetch(`${other.url}/metrics`)).text();
  expect(metrics).toContain('sluice_nodes_declared_dead_total 1');
  other.kill('SIGTERM');
  expect(await other.ended).toBe(0);
  expect(await nodeIds()).toEqual([]);
  await expectFiguresOfAllThatIsStored();
  await Promise.all([slow.receiver.stop(), quick.receiver.stop(), model.stop()]);
});

test('stopped for too long and woken: it drops what it had, joins as another node, and goes on', async () => {
  const { receiver, answered } = startHanging(2);
  const destination = await route('sleepy.*', receiver.url, 2);
  const sleeper = await startNode();
  const node = await joinedAfter([]);
  const ids = await send(sleeper, 'sleepy.x', 4);
  const claimed = `SELECT count(*) FROM deliveries WHERE destination_id = $1 AND state = 'delivering'`;
  await until(
    async () => receiver.requests.length === 2 && (await look(claimed, destination)) === 4,
    'It does not claim.',
  );
  sleeper.kill('SIGSTOP');
  const other = await startNode();
  await until(() => answered.length === 4, 'Nobody takes over.', TAKEN_OVER_WITHIN_MS);
  expect((await nodeIds()).includes(node)).toBe(false);
  const [awake = ''] = await nodeIds();

  sleeper.kill('SIGCONT');
  await until(() => sleeper.output().includes('was declared dead'), 'It does not find out.');
  expect(await joinedAfter([awake])).not.toBe(node);
  other.kill('SIGTERM');
  expect(await other.ended).toBe(0);
  const more = await send(sleeper, 'sleepy.x', 3);
  await until(() => answered.length >= 7, 'It does not go on.');
  const delivered = `SELECT count(*) FROM deliveries WHERE destination_id = $1 AND state = 'delivered' AND attempt = 1`;
  await until(async () => (await look(delivered, destination)) === 7, 'Its results are refused.');
  // Those that it had under way when it was stopped went out twice, and nothing else did.
  expect(answered.toSorted()).toEqual([...ids, ...more].toSorted());
  expect(receiver.requests).toHaveLength(2 + 7);
  sleeper.kill('SIGTERM');
  expect(await sleeper.ended).toBe(0);
  expect(await look(delivered, destination)).toBe(7);
  await expectFiguresOfAllThatIsStored();
  await receiver.stop();
});
