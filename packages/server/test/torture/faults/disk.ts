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
    const { server, url } = storage;
    // Not logged, so that it costs nothing but room, and a crash of the server would free that.
    await server.administer(url, 'CREATE UNLOGGED TABLE IF NOT EXISTS ballast (filling text)');
    const fill = "INSERT INTO ballast SELECT repeat('x', 1000) FROM generate_series(1, 4000)";
    for (;;) {
      const error = await server.administer(url, fill).then(
        () => null,
        (reason: unknown) => reason as { code?: string },
      );
      if (error?.code === '53100') break;
      if (error) throw error;
    }
    await Bun.sleep(planned.forMs);
    await server.administer(url, 'DROP TABLE ballast');
    return `the disk of the database for ${planned.forMs} ms`;
  });
};
