import { startPostgres } from '../support/postgres.ts';
import type { RequestLoad } from './feed.ts';
import { atMost, type Figure, type Section, thousands } from './figure.ts';
import { meterOnPostgres } from './meter.ts';
import { untilAtRest } from './rest.ts';
import { countReceived, THREE_STEPS } from './route.ts';
import { contenderOf, startRouted } from './routed.ts';
import { ACCOUNTING, openAccounts } from './statements.ts';
import { type Sustained, sustainInTurns } from './sustained.ts';

/** What an event costs the database server and the node, from the endpoint to the receiver, and what for. */
export const costSection: Section = {
  name: 'cost',
  about:
    'What an event costs PostgreSQL and the node, from the endpoint through three steps to a signed webhook',
  minutes: 2.5,
  run: measureCost,
};

const ROUNDS = 3;

interface Way {
  readonly name: string;
  readonly load: RequestLoad;
  readonly most: { readonly primary: number; readonly node: number };
}

const ways: readonly Way[] = [
  {
    name: '100 events a request',
    load: { batch: 100, feeders: 4 },
    most: { primary: 120, node: 200 },
  },
  {
    name: '1 event a request, 64 at once',
    load: { batch: 1, feeders: 64 },
    most: { primary: 350, node: 450 },
  },
];

async function measureCost(): Promise<Figure[]> {
  const postgres = await startPostgres(ACCOUNTING);
  const { url: databaseUrl } = await postgres.freshDatabase();
  const routed = await startRouted({ steps: THREE_STEPS }, { databaseUrl });
  const contender = contenderOf(routed, meterOnPostgres(routed.sluice, postgres, databaseUrl));
  try {
    const measured = await sustainInTurns(
      ways.map(({ load }) => ({ ...contender, load })),
      ROUNDS,
    );
    const figures = ways.flatMap((way, i) => costOf(way, measured[i]));
    for (const { name, load } of ways) {
      const accounts = await openAccounts(postgres, databaseUrl, name);
      const before = await countReceived(routed.receiver);
      await sustainInTurns([{ ...contender, load }], 1);
      await untilAtRest(routed.sluice.url, 1);
      figures.push(...(await accounts.figures((await countReceived(routed.receiver)) - before)));
    }
    return figures;
  } finally {
    await routed.stop();
    await postgres.remove();
  }
}

function costOf({ name, most }: Way, measured: Sustained | undefined): Figure[] {
  const spent = measured?.spent;
  if (!measured || !spent || spent.databaseMs === null) throw new Error(`It was not metered: ${name}.`);
  const each = (ms: number) => (ms * 1_000) / spent.events;
  const rate = ` (at ${thousands(measured.eventsPerSecond)} events/s)`;
  const threads = Object.entries(spent.byThread)
    .map(([thread, ms]) => ({ thread, us: each(ms) }))
    .filter(({ us }) => us >= 0.5)
    .sort((a, b) => b.us - a.us)
    .map(({ thread, us }) => `${thread} ${thousands(us)}`);
  const written = `${thousands(spent.writtenBytes / spent.events)} bytes of log, ${(spent.commits / spent.events).toFixed(3)} commits`;
  return [
    atMost(`${name}: CPU of PostgreSQL for each event, µs`, each(spent.databaseMs), most.primary, rate),
    atMost(
      `${name}: CPU of the node for each event, µs`,
      each(spent.cpuMs),
      most.node,
      ` (${threads.join(', ')})`,
    ),
    { name: `${name}: written for each event`, measured: written, wanted: '', met: true },
  ];
}
