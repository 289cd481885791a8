import pg from 'pg';
import type { StorageEngine } from '../../src/core/stores/engine.ts';
import type { Figure } from '../bench/figure.ts';
import { formatTable } from '../bench/table.ts';
import { newInstallation } from '../faults/prepare.ts';
import { OPEN_TO_LOOPBACK, routeAllTo } from '../support/delivery-process.ts';
import { createLoad, type Load } from '../support/load.ts';
import { type PostgresCluster, startCluster, untilFollowed } from '../support/postgres-cluster.ts';
import { type ServerProcess, startProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { seedOrganisation } from '../support/service.ts';
import { until } from '../support/until.ts';

/**
 * `npm run failover [times]`: two nodes on three servers under load. The primary is taken away again and again, killed or
 * stopped, and a standby promoted; twice a node is killed. What senders were told is then held against what is stored.
 */
const times = Number(process.argv[2] ?? 20);
const NODE_KILLED_AT = [Math.floor(times / 3), Math.floor((2 * times) / 3)];

const cluster = await startCluster();
const database = await cluster.freshDatabase();
const installation = newInstallation(cluster.url(database));
const engine = await installation.open();
const seed = await seedOrganisation(engine);
// Slow enough for every node to have some under way whenever it is killed.
const receiver = startReceiver(() => new Promise(resolve => setTimeout(resolve, 200, new Response(''))));
await routeAllTo(engine, seed, receiver.url, { concurrency: 200, attempts: 50 });

const ports: number[] = [];
const startNode = async (n: number): Promise<ServerProcess> => {
  const node = await startProcess({
    directory: installation.directory,
    settings: {
      ...installation.settings,
      ...OPEN_TO_LOOPBACK,
      SLUICE_REQUIRE_REPLICAS: '1',
      SLUICE_PORT: String(ports[n] ?? 0),
    },
  });
  ports[n] = node.port;
  return node;
};
const nodes = await Promise.all([0, 1].map(startNode));

const load = createLoad(seed, await seed.source('hmac'));
const sending = load.persist(nodes.map(({ url }) => url));
const { answers } = sending;
/** Resolves with when the first request that began after this moment was accepted. */
async function acceptedAfter(moment: number): Promise<number> {
  const first = () => answers.find(({ at, tookMs, status }) => status === 202 && at - tookMs > moment)?.at;
  await until(() => first() !== undefined, 'Nothing is accepted any more.', 60_000);
  return first() ?? 0;
}

const backAfter: number[] = [];
const goneFor: number[] = [];
const takenOverAfter: number[] = [];
for (let n = 0; n < times; n++) {
  await acceptedAfter(performance.now() + 250);
  if (NODE_KILLED_AT.includes(n)) takenOverAfter.push(await killNode(n % nodes.length));
  const primary = await cluster.primary();
  const goneAt = performance.now();
  const how = n % 3 === 2 ? 'stopped' : 'killed';
  if (how === 'stopped') primary.freeze();
  else await primary.kill();
  // Whoever watches over the servers takes a while to be sure.
  await new Promise(resolve => setTimeout(resolve, 200 + Math.random() * 1_000));
  const promoted = await cluster.promote();
  const promotedAt = performance.now();
  const back = await acceptedAfter(promotedAt);
  backAfter.push(back - promotedAt);
  goneFor.push(back - goneAt);
  console.log(
    `${n + 1}. ${primary.name} ${how}, ${promoted.name} promoted: accepted again after ${seconds(back - promotedAt)}`,
  );
  if (how === 'stopped') {
    primary.thaw();
    await primary.kill();
  }
  await primary.follow(promoted);
  await untilFollowed(promoted, 2);
}
const acknowledgedAlone = await loseStandbys();
await sending.stop();

const { lost, doubled } = await compare(engine, load);
const unfinished = await settle(cluster);
const acknowledged = load.requests.filter(({ outcome }) => outcome?.kind === 'accepted').length;
const figures: Figure[] = [
  figure('failovers', String(times)),
  figure('requests acknowledged, with 1 to 5 events each', String(acknowledged)),
  figure(
    'answers 503 or none, all repeated',
    String(answers.filter(({ status }) => status === 0 || status >= 500).length),
  ),
  figure('acknowledged events lost', String(lost), '0', lost === 0),
  figure('keys and ids with two events', String(doubled), '0', doubled === 0),
  figure(
    'requests acknowledged in 20 s without a standby',
    String(acknowledgedAlone),
    '0',
    acknowledgedAlone === 0,
  ),
  figure('events that did not reach their receiver', String(unfinished), '0', unfinished === 0),
  figure(
    'accepted again after a promotion: median, longest',
    `${seconds(median(backAfter))}, ${seconds(Math.max(...backAfter))}`,
    '≤ 5 s',
    Math.max(...backAfter) <= 5_000,
  ),
  figure('nothing accepted, from the loss of the primary on: longest', seconds(Math.max(...goneFor))),
  figure(
    'longest wait of a sender for any answer',
    seconds(Math.max(...answers.map(({ tookMs }) => tookMs))),
    '≤ 13 s',
    answers.every(({ tookMs }) => tookMs <= 13_000),
  ),
  figure(
    "a killed node's deliveries go on after: longest",
    seconds(Math.max(...takenOverAfter)),
    '≤ 20 s',
    takenOverAfter.every(ms => ms <= 20_000),
  ),
];
console.log(`\n${formatTable(figures)}`);
for (const node of nodes) node.kill('SIGTERM');
await Promise.all(nodes.map(({ ended }) => ended));
await engine.close();
await receiver.stop();
await cluster.remove();
installation.remove();
process.exit(figures.every(({ met }) => met) ? 0 : 1);

function figure(name: string, measured: string, wanted = '', met = true): Figure {
  return { name, measured, wanted, met };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function look<Row extends pg.QueryResultRow>(statement: string, ...values: string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: (await cluster.primary()).url(database) });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** Both standbys are away for longer than anybody may wait; answers how many requests were acknowledged meanwhile. */
async function loseStandbys(): Promise<number> {
  const primary = await cluster.primary();
  const standbys = cluster.members.filter(member => member !== primary);
  await Promise.all(standbys.map(standby => standby.kill()));
  const goneAt = performance.now();
  await until(() => performance.now() - goneAt > 20_000, 'Time stands still.', 30_000);
  const sentSince = answers.filter(({ at, tookMs }) => at - tookMs > goneAt);
  await Promise.all(standbys.map(standby => standby.start()));
  await acceptedAfter(performance.now());
  return sentSince.filter(({ status }) => status === 202).length;
}

/** Kills a node and starts it again; answers how long it took until nothing was in its name any more. */
async function killNode(n: number): Promise<number> {
  const before = await look<{ id: string }>('SELECT id FROM nodes');
  nodes[n]?.kill('SIGKILL');
  const killedAt = performance.now();
  await nodes[n]?.ended;
  nodes[n] = await startNode(n);
  const ids = before.map(({ id }) => id);
  // It comes back as another one, and the others know which of them is dead when they have declared it.
  await until(
    async () => {
      const left = await look(
        `SELECT 1 FROM unnest($1::text[]) AS known (id) LEFT JOIN nodes ON nodes.id = known.id
         WHERE nodes.id IS NULL AND NOT EXISTS (SELECT 1 FROM deliveries
           WHERE state = 'delivering' AND lease_token LIKE known.id || ' %')`,
        `{${ids.join()}}`,
      );
      return left.length > 0;
    },
    'Nobody takes over.',
    60_000,
  );
  const after = performance.now() - killedAt;
  console.log(`   a node was killed: others had its deliveries after ${seconds(after)}`);
  return after;
}

/** Holds what was acknowledged against what is stored. */
async function compare(
  stored: StorageEngine,
  { requests }: Load,
): Promise<{ lost: number; doubled: number }> {
  const ids = new Set<string>();
  const byType = new Map<string, number>();
  let below: string | null = null;
  do {
    const page: { events: readonly { id: string; type: string }[]; next: string | null } =
      await stored.journal.listEvents(seed.orgId, {}, { limit: 5_000, below, budgetMs: 60_000 });
    for (const { id, type } of page.events) {
      ids.add(id);
      byType.set(type, (byType.get(type) ?? 0) + 1);
    }
    below = page.next;
  } while (below !== null);
  const acknowledgedIds = requests.flatMap(({ outcome }) =>
    outcome?.kind === 'accepted' ? outcome.ids : [],
  );
  const repeated = requests.filter(({ repeatable }) => repeatable).flatMap(({ types }) => types);
  return {
    lost: acknowledgedIds.filter(id => !ids.has(id)).length,
    doubled: repeated.filter(type => (byType.get(type) ?? 0) > 1).length,
  };
}

/** Waits until everything is delivered; answers how many events never came. */
async function settle(of: PostgresCluster): Promise<number> {
  await until(
    async () => {
      const [open] = await look<{ n: number }>(
        `SELECT ((SELECT count(*) FROM events WHERE state IN ('accepted', 'claimed', 'deferred'))
          + (SELECT count(*) FROM deliveries WHERE state <> 'delivered'))::int AS n`,
      );
      return open?.n === 0;
    },
    `Not everything was delivered; the primary is ${(await of.primary()).name}.`,
    120_000,
  );
  const came = new Set(receiver.requests.map(({ headers }) => headers.get('x-service-event-id')));
  // The pipeline listens to what came through `/v1/ingest`.
  const routed = load.requests.filter(({ endpoint }) => endpoint === 'ingest');
  const events = routed.flatMap(({ outcome }) => (outcome?.kind === 'accepted' ? outcome.ids : []));
  return events.filter(id => !came.has(id)).length;
}
