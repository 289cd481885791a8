import { bundleForBrowser, installSdk, runtimes } from '../support/sdk.ts';
import { sendThroughKills } from '../support/sdk-outages.ts';
import { ENDPOINTS_ONLY } from './endpoints.ts';
import { atLeast, atMost, type Figure, type Section, thousands } from './figure.ts';
import { orderEvent } from './order-event.ts';
import { startSluice } from './servers.ts';

const EVENTS = 400_000;
const KILLS = 50;

type Runtime = keyof typeof runtimes;

/** What one process gets through the SDK into a server on the same machine, and what a server that dies costs it. */
export const sdkSection: Section = {
  name: 'sdk',
  about: 'The SDK, one process into a node that takes events, on embedded SQLite',
  async run() {
    const folder = await installSdk();
    const figures: Figure[] = [];
    for (const runtime of Object.keys(runtimes) as Runtime[])
      figures.push(
        atLeast(`events/s from one process on ${nameOf(runtime)}`, await flood(folder, runtime), 50_000),
      );
    for (const runtime of Object.keys(runtimes) as Runtime[]) figures.push(await outages(folder, runtime));
    const { compressedBytes } = await bundleForBrowser(folder);
    return [...figures, atMost('for a browser, minified and compressed, bytes', compressedBytes, 6_000)];
  },
};

const nameOf = (runtime: Runtime): string => (runtime === 'node' ? 'Node' : 'Bun');

/** The median of three runs. */
async function flood(folder: string, runtime: Runtime): Promise<number> {
  const rates: number[] = [];
  for (let run = 0; run < 3; run++) {
    const sluice = await startSluice({ settings: ENDPOINTS_ONLY });
    const program = Bun.spawn(
      [runtimes[runtime], `${folder}/flood.mjs`, sluice.url, sluice.seed.apiKey, String(EVENTS)],
      { cwd: folder, stdin: new Blob([JSON.stringify(orderEvent)]), stdout: 'pipe' },
    );
    const said = JSON.parse(await new Response(program.stdout).text());
    await sluice.stop();
    if (said.dropped > 0) throw new Error(`${said.dropped} events were dropped.`);
    rates.push(said.perSecond);
  }
  return rates.sort((a, b) => a - b)[1] ?? Number.NaN;
}

async function outages(folder: string, runtime: Runtime): Promise<Figure> {
  const { taken, lost, doubled } = await sendThroughKills(folder, runtime, KILLS);
  return {
    name: `events lost or doubled over ${KILLS} kills of the server, on ${nameOf(runtime)}`,
    measured: `${lost + doubled} (of ${thousands(taken)})`,
    wanted: '0',
    met: lost + doubled === 0,
  };
}
