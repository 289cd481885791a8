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

/** What is kept of an event, its run and its delivery, on disk. */
export const diskSection: Section = {
  name: 'disk',
  about: 'Disk, on embedded SQLite',
  minutes: 1.5,
  run: async () => [await measureDisk('no steps', []), await measureDisk('three steps', THREE_STEPS)],
};

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
