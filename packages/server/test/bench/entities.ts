import type { EveryStore } from '../support/every-store.ts';
import type { Seed } from '../support/service.ts';
import { costFigures } from './cost.ts';
import { atLeast, atMost, type Figure, outOf, type Section, thousands } from './figure.ts';
import { meterOnSqlite } from './meter.ts';
import { type MeasuredSluice, startSluice } from './servers.ts';
import { compare, type Load } from './wrk.ts';

const ENTITIES = 1_000_000;
const SEGMENTS = 1_000;
const plans = ['free', 'pro', 'team'];

/** Each node of these trees has so many below it, three levels deep: 820 nodes a tree. */
const TREES = 10;
const BRANCHES = 9;

/** What a million entities cost: fetching, writing, finding and walking them, over HTTP. */
export const entitiesSection: Section = {
  name: 'entities',
  about: `With ${thousands(ENTITIES)} entities, on embedded SQLite`,
  minutes: 3,
  async run() {
    const sluice = await startSluice({ prepare: fill });
    try {
      const [fetched, written] = await compare([fetchLoad(sluice), writeLoad(sluice)], 3);
      if (!fetched || !written) throw new Error('nothing was measured');
      const latency = async (name: string, path: (n: number) => string): Promise<Figure> =>
        atMost(`${name}, p95 in ms`, await p95Of(sluice, path), 50);
      return [
        rate('fetching one, requests/s', fetched),
        rate('upserting one, requests/s', written),
        atLeast(
          'upserting one over fetching one',
          written.requestsPerSecond / fetched.requestsPerSecond,
          0.6,
          outOf(written.requestsPerSecond, fetched.requestsPerSecond, 'requests/s'),
        ),
        ...costFigures('fetching one', fetched.spent, { unit: 'request' }),
        ...costFigures('upserting one', written.spent, { unit: 'request' }),
        await latency(
          `a page by kind and a searchable trait that ${thousands(ENTITIES / plans.length)} share`,
          n => `?kind=customer&trait.plan=${plans[n % plans.length]}`,
        ),
        await latency(
          `a page by kind and a searchable trait that ${thousands(ENTITIES / SEGMENTS)} share`,
          n => `?kind=customer&trait.segment=s${(n * 37) % SEGMENTS}`,
        ),
        await latency('a graph of 820 entities, three links deep', n => `/node/t${n % TREES}/graph?depth=3`),
      ];
    } finally {
      await sluice.stop();
    }
  },
};

const rate = (name: string, result: { requestsPerSecond: number; p99Ms: number }): Figure =>
  atLeast(name, result.requestsPerSecond, 5_000, ` (p99 ${result.p99Ms.toFixed(1)} ms)`);

const customer = (n: number) => ({
  name: `Customer ${n}`,
  email: `customer${n}@example.com`,
  plan: plans[n % plans.length],
  segment: `s${n % SEGMENTS}`,
  seats: n % 100,
  address: { city: 'Berlin', country: 'DE' },
});

async function fill(storage: EveryStore, { orgId }: Seed): Promise<void> {
  await storage.updateOrganisation(orgId, { searchableTraits: ['plan', 'segment'] });
  let changed = Date.now() * 1_000;
  const write = (entities: readonly { kind: string; externalId: string; traits: unknown }[]) =>
    storage.writeEntities([
      {
        orgId,
        writes: entities.map(({ kind, externalId, traits }) => ({
          kind,
          externalId,
          mode: 'replace',
          traits: JSON.stringify(traits),
          ifMatch: null,
          changed: ++changed,
        })),
      },
    ]);
  for (let at = 0; at < ENTITIES; at += 1_000) {
    const numbers = Array.from({ length: 1_000 }, (_, n) => at + n);
    await write(numbers.map(n => ({ kind: 'customer', externalId: `c${n}`, traits: customer(n) })));
  }
  for (let tree = 0; tree < TREES; tree++) await plant(storage, orgId, `t${tree}`, write);
}

type Write = (entities: readonly { kind: string; externalId: string; traits: unknown }[]) => Promise<unknown>;

async function plant(storage: EveryStore, orgId: string, root: string, write: Write): Promise<void> {
  let level = [root];
  await write([{ kind: 'node', externalId: root, traits: {} }]);
  for (let depth = 0; depth < 3; depth++) {
    const next = level.flatMap(parent => Array.from({ length: BRANCHES }, (_, n) => `${parent}.${n}`));
    await write(next.map((externalId, n) => ({ kind: 'node', externalId, traits: customer(n) })));
    const links = next.map(name =>
      storage.linkEntities(
        orgId,
        {
          relation: 'member_of',
          from: { kind: 'node', externalId: name },
          to: { kind: 'node', externalId: name.slice(0, name.lastIndexOf('.')) },
        },
        Date.now(),
      ),
    );
    await Promise.all(links);
    level = next;
  }
}

const loadOf = (sluice: MeasuredSluice, script: string): Load => ({
  url: sluice.url,
  body: '',
  headers: { Authorization: `Bearer ${sluice.seed.apiKey}` },
  seconds: 5,
  metering: { events: 1, meter: meterOnSqlite(sluice), rest: async () => {} },
  script: `math.randomseed(${Math.floor(Math.random() * 1e9)})\n${script}`,
});

const anyCustomer = `"/v1/entities/customer/c" .. math.random(0, ${ENTITIES - 1})`;

const fetchLoad = (sluice: MeasuredSluice) =>
  loadOf(sluice, `request = function() return wrk.format("GET", ${anyCustomer}, nil, "") end`);

const writeLoad = (sluice: MeasuredSluice) =>
  loadOf(
    sluice,
    `request = function()
       local n = math.random(0, 999)
       local body = string.format(
         '{"traits":{"name":"Customer %d","email":"c%d@example.com","plan":"pro","segment":"s%d","seats":%d}}', n, n, n, n)
       return wrk.format("PUT", ${anyCustomer}, nil, body)
     end`,
  );

/** One after the other, as one client would ask. */
async function p95Of(sluice: MeasuredSluice, path: (n: number) => string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 300; n++) {
    const began = performance.now();
    const response = await fetch(`${sluice.url}/v1/entities${path(n)}`, {
      headers: { Authorization: `Bearer ${sluice.seed.apiKey}` },
    });
    await response.text();
    if (!response.ok) throw new Error(`${path(n)} was refused with ${response.status}.`);
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
}
