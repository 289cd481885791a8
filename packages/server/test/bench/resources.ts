import { Database } from 'bun:sqlite';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { startBoundedFeed } from './feed.ts';
import { atMost, type Figure, type Section, thousands } from './figure.ts';
import { smallBody, smallBytes } from './order-event.ts';
import { untilAtRest } from './rest.ts';
import { THREE_STEPS } from './route.ts';
import { contenderOf, startRouted } from './routed.ts';
import { residentMegabytes, startSluice } from './servers.ts';
import { readProcess } from './threads.ts';

/** What a service takes of the machine: memory, CPU time while nothing comes, and disk. */
export const resourcesSection: Section = {
  name: 'resources',
  about: 'What the service takes of the machine, on embedded SQLite',
  minutes: 4,
  async run() {
    return [
      ...(await measureIdle()),
      await measureBusy(),
      await measureDisk('no steps', []),
      await measureDisk('three steps', THREE_STEPS),
    ];
  },
};

const IDLE_MS = 30_000;
/** Until whatever the start set off is over. */
const SETTLE_MS = 10_000;
const LOAD_MS = 60_000;

async function measureIdle(): Promise<Figure[]> {
  const sluice = await startSluice();
  try {
    await Bun.sleep(SETTLE_MS);
    const [before, began] = [readProcess(sluice.pid), performance.now()];
    await Bun.sleep(IDLE_MS);
    const cpuMs = readProcess(sluice.pid).cpuMs - before.cpuMs;
    return [
      atMost('resident while idle, MB', residentMegabytes(sluice.pid), 100),
      atMost('CPU while idle over 30 s, % of a core', (cpuMs * 100) / (performance.now() - began), 0.5),
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

const STORED = 100_000;
const SCALED_TO = 1_000_000;

/** Measured with fewer events than are asked about; what each adds does not change with how many there are. */
async function measureDisk(how: string, steps: readonly unknown[]): Promise<Figure> {
  const routed = await startRouted({ steps });
  const { directory, url } = routed.sluice;
  try {
    const before = bytesOnDisk(directory);
    const feed = await startBoundedFeed(contenderOf(routed), smallBody(100));
    await until(() => feed.sent() >= STORED, 'Too few events were taken.', 120_000);
    await feed.stop();
    await untilAtRest(url, 1);
    const anEvent = (bytesOnDisk(directory) - before) / feed.sent();
    return atMost(
      `disk for ${thousands(SCALED_TO)} events of ${smallBytes} bytes, each with ${how} and one delivery, GB`,
      (anEvent * SCALED_TO) / 1e9,
      1,
      ` (${thousands(anEvent)} bytes an event, measured with ${thousands(feed.sent())} and scaled up)`,
    );
  } finally {
    await routed.stop();
  }
}

/** Of the whole data directory, once the WAL has been folded back. */
function bytesOnDisk(directory: string): number {
  const database = new Database(join(directory, 'sluice.db'));
  try {
    database.run('PRAGMA busy_timeout = 5000');
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    database.close();
  }
  return readdirSync(directory).reduce((sum, file) => sum + statSync(join(directory, file)).size, 0);
}
