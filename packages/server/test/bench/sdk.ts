import { bundleForBrowser, installSdk, runtimes } from '../support/sdk.ts';
import { sendThroughKills } from '../support/sdk-outages.ts';
import { costFigures, together } from './cost.ts';
import { atLeast, atMost, type Figure, plainly, type Section, thousands } from './figure.ts';
import { meterOnSqlite, type Spent } from './meter.ts';
import { orderEvent } from './order-event.ts';
import { untilAtRest } from './rest.ts';
import { startSluice } from './servers.ts';

const EVENTS = 400_000;
const ROUNDS = 3;
const KILLS = 50;

type Runtime = keyof typeof runtimes;
const titles: Readonly<Record<Runtime, string>> = { bun: 'Bun', node: 'Node' };
const names = Object.keys(titles) as Runtime[];

/** What one process gets through the SDK into a server on the same machine, and what that costs both. */
export const sdkSection: Section = {
  name: 'sdk',
  about: 'The SDK: one process that tracks events one by one, no pipeline listening, on embedded SQLite',
  minutes: 2,
  async run() {
    const folder = await installSdk();
    const runs: Record<Runtime, Flood[]> = { bun: [], node: [] };
    for (let round = 0; round < ROUNDS; round++)
      for (const runtime of names) runs[runtime].push(await flood(folder, runtime));
    const { compressedBytes } = await bundleForBrowser(folder);
    return [
      ...names.flatMap(runtime => floodFigures(titles[runtime], runs[runtime])),
      atMost('for a browser, minified and compressed, bytes', compressedBytes, 6_000),
    ];
  },
};

/** Each kill comes at another moment, and between them the address fails, hangs and is away. */
export const sdkKillsSection: Section = {
  name: 'sdk-kills',
  about: `The SDK: what becomes of its events while the server is killed ${KILLS} times`,
  minutes: 3,
  async run() {
    const folder = await installSdk();
    const figures: Figure[] = [];
    for (const runtime of names) {
      const { taken, lost, doubled } = await sendThroughKills(folder, runtime, KILLS);
      figures.push({
        name: `events lost or doubled, on ${titles[runtime]}`,
        measured: `${lost + doubled} (of ${thousands(taken)})`,
        wanted: '0',
        met: lost + doubled === 0,
      });
    }
    return figures;
  },
};

interface Flood {
  readonly perSecond: number;
  /** CPU time of the sending process, from its first event until the last one was stored. */
  readonly cpuMs: number;
  readonly spent: Spent;
}

async function flood(folder: string, runtime: Runtime): Promise<Flood> {
  const sluice = await startSluice();
  try {
    const read = await meterOnSqlite(sluice).start();
    const program = Bun.spawn(
      [runtimes[runtime], `${folder}/flood.mjs`, sluice.url, sluice.apiKey, String(EVENTS)],
      { cwd: folder, stdin: new Blob([JSON.stringify(orderEvent)]), stdout: 'pipe' },
    );
    const { perSecond, cpuMs, dropped } = JSON.parse(await new Response(program.stdout).text());
    if (dropped > 0) throw new Error(`${dropped} events were dropped.`);
    await untilAtRest(sluice.url, 0);
    return { perSecond, cpuMs, spent: await read(EVENTS) };
  } finally {
    await sluice.stop();
  }
}

function floodFigures(title: string, runs: readonly Flood[]): Figure[] {
  const rates = runs.map(({ perSecond }) => perSecond).sort((a, b) => a - b);
  const cpuMs = runs.reduce((sum, run) => sum + run.cpuMs, 0);
  return [
    atLeast(`on ${title}, events/s`, rates[rates.length >> 1] ?? Number.NaN, 50_000),
    plainly(
      `on ${title}: CPU of the sending process for each event, µs`,
      ((cpuMs * 1_000) / (EVENTS * runs.length)).toFixed(1),
    ),
    ...costFigures(`on ${title}`, together(runs.map(({ spent }) => spent))),
  ];
}
