import { startBoundedFeed } from './feed.ts';
import { atMost, type Figure, type Section } from './figure.ts';
import { THREE_STEPS } from './route.ts';
import { contenderOf, startRouted } from './routed.ts';
import { residentMegabytes, startSluice } from './servers.ts';
import { readProcess, threadsSpent } from './threads.ts';

/** What a service takes of the machine: memory, and CPU time while nothing comes. */
export const resourcesSection: Section = {
  name: 'resources',
  about: 'Memory, and CPU time while nothing comes, on embedded SQLite',
  minutes: 3,
  async run() {
    return [...(await measureIdle()), await measureBusy()];
  },
};

const IDLE_MS = 30_000;
/** Until whatever the start set off is over: the runtime compiles for most of a minute what is called once a second. */
const SETTLE_MS = 60_000;
const LOAD_MS = 60_000;

async function measureIdle(): Promise<Figure[]> {
  const sluice = await startSluice();
  try {
    await Bun.sleep(SETTLE_MS);
    const [before, began] = [readProcess(sluice.pid), performance.now()];
    await Bun.sleep(IDLE_MS);
    const { cpuMs, byThread } = threadsSpent(before, readProcess(sluice.pid));
    const percent = (ms: number) => (ms * 100) / (performance.now() - began);
    const threads = Object.entries(byThread)
      .filter(([, ms]) => ms > 0)
      .map(([thread, ms]) => `${thread} ${percent(ms).toFixed(2)}`);
    return [
      atMost('resident while idle, MB', residentMegabytes(sluice.pid), 100),
      atMost('CPU while idle over 30 s, % of a core', percent(cpuMs), 0.5, ` (${threads.join(', ')})`),
    ];
  } finally {
    await sluice.stop();
  }
}

/** The most that is seen of it while it takes and delivers as much as it can. */
async function measureBusy(): Promise<Figure> {
  const routed = await startRouted({ steps: THREE_STEPS });
  const feed = await startBoundedFeed(contenderOf(routed));
  try {
    const seen: number[] = [];
    const ends = performance.now() + LOAD_MS;
    while (performance.now() < ends) {
      await Bun.sleep(500);
      seen.push(residentMegabytes(routed.sluice.pid));
    }
    return atMost('resident under 60 s of load, endpoint to receiver, at most, MB', Math.max(...seen), 200);
  } finally {
    await feed.stop();
    await routed.stop();
  }
}
