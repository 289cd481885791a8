import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tamperingInto } from '../../support/process.ts';
import type { Fault } from './fault.ts';

/** Disks that are full, fail to flush, or are slow. */

/** Past the writes of a start; each write that fails is one of some thread, which counts its own. */
const FULL = 'pwrite64:error=ENOSPC:when=120..150';
const FAILING_FLUSH = 'fsync:error=EIO:when=25';
/** In microseconds, for every flush until the node ends. */
const SLOW = 'fsync:delay_enter=120000';

/** As strace marks a call that it tampered with, and PostgreSQL a write that found no room. */
const TAMPERED = /\((?:INJECTED|DELAYED)\)/g;
const NO_ROOM = /No space left on device/g;

const countIn = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;

/** The embedded database: the node is killed, and its next life meets the fault, if it lives long enough. */
const nextLife =
  (injection: string): Fault =>
  async ({ fleet, files }, { node, kind, at }) => {
    const trace = join(files.folder, `${kind}-${at}.strace`);
    fleet.startNextUnder(node, { trace, command: tamperingInto(trace, injection) });
    fleet.signal(node, 'SIGKILL');
    return {
      trace,
      detail: `node ${node}: ${injection}`,
      met: () => (existsSync(trace) ? countIn(readFileSync(trace, 'utf8'), TAMPERED) : 0),
    };
  };

export const failingFlush = nextLife(FAILING_FLUSH);
export const slowDisk = nextLife(SLOW);

const fullForOneNode = nextLife(FULL);

export const fullDisk: Fault = (world, planned) => {
  const { storage } = world;
  if (storage === null) return fullForOneNode(world, planned);
  return world.inTurn('storage', async () => {
    const primary = await storage.cluster.primary();
    const ballast = join(primary.smallDisk ?? '', 'ballast');
    const before = countIn(primary.logged(), NO_ROOM);
    // It ends when there is no room left.
    await Bun.spawn(['dd', 'if=/dev/zero', `of=${ballast}`, 'bs=1M'], { stderr: 'ignore' }).exited;
    await Bun.sleep(planned.forMs);
    await rm(ballast);
    const times = countIn(primary.logged(), NO_ROOM) - before;
    return { detail: `the disk of server ${primary.name} for ${planned.forMs} ms`, met: () => times };
  });
};
