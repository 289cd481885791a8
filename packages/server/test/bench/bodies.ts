import { createHmac } from 'node:crypto';
import {
  type HostileBody,
  hostileBatches,
  hostileDryRuns,
  hostileEntities,
  hostileWebhooks,
} from '../support/hostile-bodies.ts';
import { atMost, type Figure, type Section } from './figure.ts';
import { type MeasuredSluice, startSluice } from './servers.ts';

/** What else runs on the machine is in every measurement: the least of these is what the body itself costs. */
const REPEATS = 3;
const MOST_MS = 100;

/** How long the worst body of each endpoint keeps everybody else waiting. */
export const bodiesSection: Section = {
  name: 'bodies',
  about: 'The longest that anybody waits for an answer while the worst body comes in',
  minutes: 1.5,
  async run() {
    const sluice = await startSluice({ settings: { SLUICE_LOG_LEVEL: 'silent' } });
    const probe = startProbe(sluice.url);
    try {
      return [
        await worstOf('/v1/ingest', hostileBatches(), body => sendBatch(sluice, body), probe),
        await worstOf('/whk', hostileWebhooks(), body => sendWebhook(sluice, body), probe),
        await worstOf('/v1/entities', hostileEntities(), body => sendEntities(sluice, body), probe),
        await worstOf('a dry run', hostileDryRuns(), body => sendPrivate(sluice, body), probe),
      ];
    } finally {
      probe.stop();
      await sluice.stop();
    }
  },
};

async function worstOf(
  endpoint: string,
  bodies: readonly HostileBody[],
  send: (body: HostileBody) => Promise<number>,
  probe: Probe,
): Promise<Figure> {
  let worst = { ms: 0, name: '' };
  for (const body of bodies) {
    let least = Number.POSITIVE_INFINITY;
    let status = 0;
    for (let n = 0; n < REPEATS; n++) {
      await probe.reset();
      status = await send(body);
      least = Math.min(least, await probe.longest());
    }
    if (least > worst.ms) worst = { ms: least, name: body.name };
    console.log(`${endpoint} ${least.toFixed(1).padStart(8)} ms  ${status}  ${body.name}`);
  }
  return atMost(`\`${endpoint}\`, the worst of ${bodies.length}, ms`, worst.ms, MOST_MS, ` (${worst.name})`);
}

const sendBatch = ({ url, seed }: MeasuredSluice, { body, headers }: HostileBody): Promise<number> =>
  post(`${url}/v1/ingest`, body, { Authorization: `Bearer ${seed.apiKey}`, ...headers });

const sendWebhook = ({ url, source }: MeasuredSluice, { body, headers }: HostileBody): Promise<number> =>
  post(`${url}/whk/${source.token}`, body, {
    'X-Ingest-Signature': createHmac('sha256', source.secret).update(body).digest('hex'),
    ...headers,
  });

const sendEntities = ({ url, seed }: MeasuredSluice, { body }: HostileBody): Promise<number> =>
  post(`${url}/v1/entities`, body, { Authorization: `Bearer ${seed.apiKey}` });

const sendPrivate = ({ url, cookie }: MeasuredSluice, { body }: HostileBody): Promise<number> =>
  post(`${url}/dashboard/api/pipelines/dry-run`, body, { Cookie: cookie, 'X-Sluice-CSRF': '1' });

async function post(url: string, body: Uint8Array, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, { method: 'POST', body: body as Uint8Array<ArrayBuffer>, headers });
  await response.arrayBuffer();
  return response.status;
}

/** Asks for an answer again and again, from a thread of its own, and keeps how long the slowest took. */
interface Probe {
  reset(): Promise<void>;
  longest(): Promise<number>;
  stop(): void;
}

function startProbe(url: string): Probe {
  const worker = new Worker(new URL('./probe-thread.ts', import.meta.url).href);
  const ask = (message: unknown) =>
    new Promise<number>(resolve => {
      worker.onmessage = ({ data }) => resolve(data as number);
      worker.postMessage(message);
    });
  return {
    reset: async () => void (await ask({ kind: 'reset', url })),
    longest: () => ask({ kind: 'longest' }),
    stop: () => worker.terminate(),
  };
}
