import { loadavg } from 'node:os';
import { startPostgres } from '../support/postgres.ts';
import { atMost, type Figure, type Section } from './figure.ts';
import { waitsAt } from './latency.ts';
import { THREE_STEPS } from './route.ts';
import { startRouted } from './routed.ts';
import { startBeside } from './servers.ts';
import { quantile } from './wrk.ts';

const PER_SECOND = 500;
const MOST_P99_MS = 60;

/** Who of two nodes does what, so that each event goes from one to the other. The first also answers private calls. */
const divisions = [
  { first: 'ingest,dashboard', second: 'process,deliver' },
  { first: 'ingest,process,dashboard', second: 'deliver' },
];

/** From the 202 to the receiver where the node that delivers is not the one that accepted. */
export const nodesSection: Section = {
  name: 'nodes',
  about:
    'From the 202 to the receiver of a signed webhook, through three steps, one event a request, with two nodes on PostgreSQL that share the roles',
  minutes: 1.5,
  async run() {
    const postgres = await startPostgres();
    try {
      const figures: Figure[] = [];
      for (const division of divisions) {
        const { url } = await postgres.freshDatabase();
        figures.push(await measure(division, url));
      }
      return figures;
    } finally {
      await postgres.remove();
    }
  },
};

async function measure({ first, second }: (typeof divisions)[number], databaseUrl: string): Promise<Figure> {
  // What else the machine does shows here first.
  const [load = 0] = loadavg();
  const routed = await startRouted(
    { steps: THREE_STEPS },
    { databaseUrl, settings: { SLUICE_ROLES: first } },
  );
  const other = await startBeside(routed.sluice, { databaseUrl, settings: { SLUICE_ROLES: second } });
  try {
    const waits = await waitsAt(PER_SECOND, routed);
    const p50 = quantile(waits, 0.5).toFixed(2);
    return atMost(
      `p99 at ${PER_SECOND} events/s, one node for ${first}, the other for ${second}, ms`,
      quantile(waits, 0.99),
      MOST_P99_MS,
      ` (p50 ${p50}; load of the machine before it ${load.toFixed(1)})`,
    );
  } finally {
    await other.stop();
    await routed.stop();
  }
}
