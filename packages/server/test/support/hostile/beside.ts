import { newId } from '../../../src/core/ids.ts';
import type { JsonObject } from '../../../src/core/json/json.ts';
import { createVault } from '../../../src/core/secrets/vault.ts';
import type { StorageEngine } from '../../../src/core/stores/engine.ts';
import type { DestinationKind } from '../../../src/delivery/destination.ts';
import { emailDestination } from '../../../src/delivery/destinations/email.ts';
import { postgresDestination } from '../../../src/delivery/destinations/postgres.ts';
import { webhookDestination } from '../../../src/delivery/destinations/webhook.ts';
import { sealConfig } from '../../../src/delivery/sealed-config.ts';
import {
  type Measured,
  type MeasuredSluice,
  residentMegabytes,
  startReceiver,
  startSluice,
} from '../../bench/servers.ts';
import { quantile } from '../../bench/wrk.ts';
import { OPEN_TO_LOOPBACK, routeAllTo } from '../delivery-process.ts';
import { type Seed, seedOrganisation, TEST_SECRET_KEY } from '../service.ts';
import { until } from '../until.ts';
import { databaseAt, mailServerAt, webServerAt } from './destinations.ts';
import { type HostileReceivers, startHostileReceivers } from './start.ts';

/** What became of one organisation's deliveries to everybody hostile, and of its neighbour meanwhile. */
export interface BesideHostile {
  /** Hostile answers, each a destination of its own. */
  readonly answers: number;
  /** Deliveries there that ended, delivered or dead by the policy, and attempts that were made. */
  readonly ended: number;
  readonly attempts: number;
  /** Of those that ended: what lacks an attempt or a reason, by name. */
  readonly wrong: readonly string[];
  readonly crashed: boolean;
  readonly grownMegabytes: number;
  readonly neighbourSent: number;
  readonly neighbourArrived: number;
  /** From the 202 to the neighbour's receiver. */
  readonly neighbourP99Ms: number;
  /** The same before anything hostile was sent to. */
  readonly quietP99Ms: number;
}

const ATTEMPTS = 2;
const POLICY = {
  attempts: ATTEMPTS,
  schedule_s: [0, 0.1],
  timeout_s: 1,
  concurrency: 16,
  rate_per_second: 0,
};
const DESTINATIONS_A_PIPELINE = 100;
const WARM_UP_EVENTS = 300;
/** One of each kind. */
const WARM_UP = ['postgres: a close at once', 'email: a close at once', 'webhook: a close'];
const EVENTS_A_SECOND = 100;
const ASKED_EVERY_MS = 500;
/** For whatever is waited for, on a machine that is busy with other tests. */
const LONGEST_MS = 60_000;

/** Runs the real server as a process, and everybody hostile as another: all of one kind at once, one kind after the other. */
export async function runBesideHostile(): Promise<BesideHostile> {
  const hostile = await startHostileReceivers();
  const healthy = await startReceiver();
  const destinations: Destination[] = [];
  let neighbour = '';
  const sluice = await startSluice({
    settings: OPEN_TO_LOOPBACK,
    async prepare(_storage, seed, engine) {
      destinations.push(...(await addDestinations(engine, seed, hostile)));
      const other = await seedOrganisation(engine);
      await routeAllTo(engine, other, `${healthy.url}/hook`);
      neighbour = other.apiKey;
    },
  });
  try {
    await routeToAll(sluice, destinations);
    const feed = startFeed(sluice.url, neighbour);
    await until(() => feed.sent() >= WARM_UP_EVENTS, 'The neighbour could not send.', LONGEST_MS);
    const isOver = async () => (await unfinished(sluice)) === 0;
    // What the first delivery of a kind loads, and the thread that it starts, is not what is looked for.
    await send(sluice.url, sluice.seed.apiKey, 'warm.up');
    await until(
      async () => (await counted(sluice)) === WARM_UP.length && (await isOver()),
      'It did not warm up.',
      LONGEST_MS,
    );
    const warmUpEvents = feed.sent();
    const memory = watchMemory(sluice);
    let routed = WARM_UP.length;
    for (const kind of new Set(destinations.map(destination => destination.kind))) {
      routed += destinations.filter(destination => destination.kind === kind).length;
      await send(sluice.url, sluice.seed.apiKey, kind);
      const isDone = async () => (await isOver()) && (await counted(sluice)) === routed;
      await untilSeldom(isDone, 'Deliveries to hostile receivers did not come to an end.');
    }
    const accepted = await feed.stop();
    const grownMegabytes = memory.stop();
    const isThere = async () => (await arrivalsAt(healthy)).size >= accepted.size;
    await until(isThere, 'The neighbour’s events did not arrive.', LONGEST_MS).catch(() => {});
    const arrivals = await arrivalsAt(healthy);
    const waits = [...accepted].flatMap(([id, at]) => Math.max(0, (arrivals.get(id) ?? Number.NaN) - at));
    const ended = await listAll(sluice, '');
    return {
      answers: destinations.length,
      ended: ended.filter(({ state }) => state === 'dead' || state === 'delivered').length,
      attempts: ended.reduce((sum, { attempts }) => sum + attempts.length, 0),
      wrong: ended.flatMap(wrongWith),
      crashed: !(await fetch(`${sluice.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )),
      grownMegabytes,
      neighbourSent: accepted.size,
      neighbourArrived: waits.filter(wait => !Number.isNaN(wait)).length,
      neighbourP99Ms: quantile(waits.slice(warmUpEvents), 0.99),
      quietP99Ms: quantile(waits.slice(WARM_UP_EVENTS / 2, WARM_UP_EVENTS), 0.99),
    };
  } finally {
    await sluice.stop();
    await healthy.stop();
    await hostile.stop();
  }
}

/** Seldom, since what is asked here is asked of the service that is measured. */
async function untilSeldom(holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  const rarely = async () => {
    await Bun.sleep(ASKED_EVERY_MS);
    return holds();
  };
  await until(rarely, otherwise, LONGEST_MS);
}

interface Destination {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
}

/** Straight into storage: saving would ask a database whether it is one. */
async function addDestinations(
  { configuration }: StorageEngine,
  { orgId }: Pick<Seed, 'orgId'>,
  { databases, mailServers, webServers }: HostileReceivers,
): Promise<Destination[]> {
  const vault = createVault(TEST_SECRET_KEY);
  const now = Date.now();
  const wanted: [DestinationKind, string, JsonObject][] = [
    ...Object.entries(databases).map(([what, { port }]): [DestinationKind, string, JsonObject] => [
      postgresDestination as DestinationKind,
      what,
      databaseAt(port),
    ]),
    ...Object.entries(mailServers).map(([what, address]): [DestinationKind, string, JsonObject] => [
      emailDestination as DestinationKind,
      what,
      mailServerAt(address),
    ]),
    ...Object.entries(webServers).map(([what, address]): [DestinationKind, string, JsonObject] => [
      webhookDestination as DestinationKind,
      what,
      webServerAt(address),
    ]),
  ];
  const added: Destination[] = [];
  for (const [kind, what, config] of wanted) {
    const id = newId('dst');
    const name = `${kind.name}: ${what}`.slice(0, 100);
    await configuration.createDestination({
      id,
      orgId,
      kind: kind.name,
      name,
      config: sealConfig(vault, kind, config, { orgId, id }),
      policy: POLICY,
      paused: false,
      breaker: null,
      listenerToken: null,
      formerPolicies: [],
      createdAt: now,
      updatedAt: now,
    });
    added.push({ id, kind: kind.name, name });
  }
  return added;
}

async function routeToAll(sluice: MeasuredSluice, destinations: readonly Destination[]): Promise<void> {
  const all = { kind: 'sdk', name: 'All', match: '*' };
  const { id: source } = await sluice.post<{ id: string }>('/sources', all);
  const routes = destinations.map(({ id, kind, name }) => {
    const alsoAtFirst = WARM_UP.includes(name) ? ' || event.type == "warm.up"' : '';
    return { id, when: `event.type == "${kind}"${alsoAtFirst}` };
  });
  for (let from = 0; from < routes.length; from += DESTINATIONS_A_PIPELINE) {
    const some = routes.slice(from, from + DESTINATIONS_A_PIPELINE);
    const pipeline = { sources: [source], steps: [], destinations: some, enabled: true };
    await sluice.post('/pipelines', { name: `To ${from} and on`, ...pipeline });
  }
}

async function send(url: string, apiKey: string, type: string): Promise<string> {
  const response = await fetch(`${url}/v1/ingest`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ events: [{ type, payload: { n: 1 } }] }),
  });
  if (response.status !== 202) throw new Error(`Refused with ${response.status}: ${await response.text()}`);
  const { data } = (await response.json()) as { data: { events: { id: string }[] } };
  return data.events[0]?.id ?? '';
}

/** Sends at a steady rate until it is stopped; then answers when each event was accepted. */
function startFeed(url: string, apiKey: string) {
  const accepted = new Map<string, number>();
  let isOver = false;
  const feeding = (async () => {
    const began = performance.now();
    const pending: Promise<unknown>[] = [];
    for (let n = 0; !isOver; n++) {
      await Bun.sleep(Math.max(0, began + (n * 1_000) / EVENTS_A_SECOND - performance.now()));
      pending.push(
        send(url, apiKey, 'order.created').then(id =>
          accepted.set(id, performance.timeOrigin + performance.now()),
        ),
      );
    }
    await Promise.all(pending);
  })();
  return {
    sent: () => accepted.size,
    async stop() {
      isOver = true;
      await feeding;
      return accepted;
    },
  };
}

/** Answers by how much it has grown at the most. */
function watchMemory({ pid }: Pick<Measured, 'pid'>) {
  const before = residentMegabytes(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentMegabytes(pid));
  }, 50);
  return {
    stop() {
      clearInterval(timer);
      return most - before;
    },
  };
}

async function arrivalsAt({ url }: Measured): Promise<Map<string, number>> {
  return new Map(Object.entries((await (await fetch(`${url}/arrivals`)).json()) as Record<string, number>));
}

interface ListedDelivery {
  readonly state: string;
  readonly destination: { readonly name: string };
  readonly attempts: readonly { readonly code: string | null; readonly message: string | null }[];
}

async function list(sluice: MeasuredSluice, query: string) {
  const url = `${sluice.url}/dashboard/api/deliveries?${query}`;
  const response = await fetch(url, { headers: { Cookie: sluice.cookie } });
  return (await response.json()) as { data: ListedDelivery[]; next_cursor: string | null };
}

async function listAll(sluice: MeasuredSluice, query: string): Promise<ListedDelivery[]> {
  const all: ListedDelivery[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = await list(sluice, `limit=100&${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
    all.push(...page.data);
    cursor = page.next_cursor;
  }
  return all;
}

const counted = async (sluice: MeasuredSluice): Promise<number> => (await listAll(sluice, '')).length;

async function unfinished(sluice: MeasuredSluice): Promise<number> {
  const states = ['pending', 'delivering', 'retrying'];
  const pages = await Promise.all(states.map(state => list(sluice, `limit=1&state=${state}`)));
  return pages.reduce((sum, { data }) => sum + data.length, 0);
}

/** Whoever failed has used its attempts up, each with a reason. */
function wrongWith({ state, destination: { name }, attempts }: ListedDelivery): string[] {
  const failures = attempts.filter(({ code }) => code !== null);
  return [
    state === 'dead' && attempts.length !== ATTEMPTS && `${name}: ${attempts.length} attempts`,
    failures.some(({ message }) => !message) && `${name}: no reason`,
  ].filter(wrong => wrong !== false);
}
