import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tampering } from '../../support/process.ts';
import type { Fault } from './fault.ts';

/** Disks that are full, fail to flush, or are slow. */

/** Past the writes of a start; each write that fails is one of some thread, which counts its own. */
const FULL = 'pwrite64:error=ENOSPC:when=120..150';
const FAILING_FLUSH = 'fsync:error=EIO:when=25';
/** In microseconds, for every flush until the node ends. */
const SLOW = 'fsync:delay_enter=120000';

/** The embedded database: the node is killed, and its next life meets the fault. */
const nextLife =
  (injection: string): Fault =>
  async ({ fleet }, { node }) => {
    fleet.startNextUnder(node, tampering(injection));
    fleet.signal(node, 'SIGKILL');
    return `node ${node}: ${injection}`;
  };

export const failingFlush = nextLife(FAILING_FLUSH);
export const slowDisk = nextLife(SLOW);

const fullForOneNode = nextLife(FULL);

export const fullDisk: Fault = (world, planned) => {
  const { storage } = world;
  if (storage === null) return fullForOneNode(world, planned);
  return world.inTurn('storage', async () => {
    const { name, smallDisk } = await storage.cluster.primary();
    const ballast = join(smallDisk ?? '', 'ballast');
    // It ends when there is no room left.
    await Bun.spawn(['dd', 'if=/dev/zero', `of=${ballast}`, 'bs=1M'], { stderr: 'ignore' }).exited;
    await Bun.sleep(planned.forMs);
    await rm(ballast);
    return `the disk of server ${name} for ${planned.forMs} ms`;
  });
};
