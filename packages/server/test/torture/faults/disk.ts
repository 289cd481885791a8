import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tamperingInto } from '../../support/process.ts';
import type { Fault, World } from './fault.ts';
import { onceItServes } from './nodes.ts';

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

/** A life may end before it comes to the fault, and a server write nothing: so long somebody waits for one that does. */
const MEET_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 100;

async function untilMet({ files }: Pick<World, 'files'>, isMet: () => boolean): Promise<void> {
  const deadline = files.now() + MEET_WITHIN_MS;
  while (!isMet() && files.now() < deadline) await Bun.sleep(LOOK_EVERY_MS);
}

/** The embedded database: the node is killed, and each life of it is one that meets the fault, until one has. */
const nextLife =
  (injection: string): Fault =>
  (world, { node, kind, at }) =>
    world.inTurn(`disk of node ${node}`, async () => {
      const { fleet, files } = world;
      const traceOf = (life: number) => join(files.folder, `${kind}-${at}-life-${life}.strace`);
      const timesIn = (trace: string) =>
        existsSync(trace) ? countIn(readFileSync(trace, 'utf8'), TAMPERED) : 0;
      fleet.startUnder(node, life => ({
        trace: traceOf(life),
        command: tamperingInto(traceOf(life), injection),
      }));
      await onceItServes(world, node, 'SIGKILL');
      await untilMet(world, () => timesIn(traceOf(fleet.life(node))) > 0);
      fleet.startUnder(node, null);
      const trace = traceOf(fleet.life(node));
      return { detail: `node ${node}: ${injection}`, trace, met: () => timesIn(trace) };
    });

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
    const times = () => countIn(primary.logged(), NO_ROOM) - before;
    // It ends when there is no room left.
    await Bun.spawn(['dd', 'if=/dev/zero', `of=${ballast}`, 'bs=1M'], { stderr: 'ignore' }).exited;
    await Bun.sleep(planned.forMs);
    await untilMet(world, () => times() > 0);
    await rm(ballast);
    const met = times();
    return { detail: `the disk of server ${primary.name} for ${planned.forMs} ms at least`, met: () => met };
  });
};
