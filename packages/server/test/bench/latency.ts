import { startPostgres } from '../support/postgres.ts';
import { atMost, type Figure, type Section, thousands } from './figure.ts';
import { orderEvent } from './order-event.ts';
import { THREE_STEPS, untilReceived } from './route.ts';
import { type Routed, startRouted } from './routed.ts';
import type { MeasuredSluice } from './servers.ts';
import { quantile } from './wrk.ts';

const SECONDS = 18;
/** A process that has just started compiles what it runs for the first time. */
const WARM_UP_SECONDS = 8;

/** From the 202 to the receiver, at steady rates below what can be sustained. */
export const latencySection: Section = {
  name: 'latency',
  about: 'From the 202 to the receiver of a signed webhook, through three steps, one event a request',
  minutes: 1.5,
  async run() {
    const postgres = await startPostgres();
    const { url: databaseUrl } = await postgres.freshDatabase();
    try {
      return [
        ...(await measure('on SQLite', { perSecond: 200, mostP50: 1.2, mostP99: 4 })),
        ...(await measure('on SQLite', { perSecond: 2_000, mostP99: 20 })),
        ...(await measure('on PostgreSQL', { perSecond: 200, mostP50: 6, mostP99: 25, databaseUrl })),
      ];
    } finally {
      await postgres.remove();
    }
  },
};

interface Steady {
  readonly perSecond: number;
  readonly mostP50?: number;
  readonly mostP99: number;
  readonly databaseUrl?: string;
}

async function measure(where: string, steady: Steady): Promise<Figure[]> {
  const { perSecond, mostP50, mostP99 } = steady;
  const routed = await startRouted({ steps: THREE_STEPS }, steady);
  try {
    const waits = await waitsAt(perSecond, routed);
    const name = (share: string) => `${share} at ${thousands(perSecond)} events/s ${where}, ms`;
    const [p50, p99] = [quantile(waits, 0.5), quantile(waits, 0.99)];
    return mostP50 === undefined
      ? [atMost(name('p99'), p99, mostP99, ` (p50 ${p50.toFixed(2)})`)]
      : [atMost(name('p50'), p50, mostP50), atMost(name('p99'), p99, mostP99)];
  } finally {
    await routed.stop();
  }
}

/** How long each event took from its 202 to the receiver, once the service is warm; ms. */
export async function waitsAt(
  perSecond: number,
  { sluice, receiver }: Pick<Routed, 'sluice' | 'receiver'>,
): Promise<number[]> {
  const accepted = await sendSteadily(sluice, perSecond);
  await untilReceived(receiver, accepted.size);
  const arrivals = (await (await fetch(`${receiver.url}/arrivals`)).json()) as Record<string, number>;
  const measured = [...accepted].slice(perSecond * WARM_UP_SECONDS);
  return measured.map(([id, at]) => Math.max(0, (arrivals[id] ?? Number.NaN) - at));
}

/** Each at its moment, whatever became of those before. Answers when the 202 of each came. */
async function sendSteadily(sluice: MeasuredSluice, perSecond: number): Promise<Map<string, number>> {
  const accepted = new Map<string, number>();
  const pending: Promise<void>[] = [];
  const started = performance.now();
  for (let n = 0; n < perSecond * SECONDS; n++) {
    const early = started + (n * 1_000) / perSecond - performance.now();
    if (early > 1) await new Promise(resolve => setTimeout(resolve, early));
    pending.push(sendOne(sluice, accepted));
  }
  await Promise.all(pending);
  return accepted;
}

const body = JSON.stringify({ events: [orderEvent] });

async function sendOne({ url, apiKey }: MeasuredSluice, accepted: Map<string, number>): Promise<void> {
  const response = await fetch(`${url}/v1/ingest`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body,
  });
  const { data } = (await response.json()) as { data: { events: { id: string }[] } };
  const id = data.events[0]?.id;
  if (response.status !== 202 || id === undefined) throw new Error(`It answered ${response.status}.`);
  accepted.set(id, performance.timeOrigin + performance.now());
}
