import { untilFollowed } from '../../support/postgres-cluster.ts';
import type { Fault, ServedStorage } from './fault.ts';

/** PostgreSQL as storage: away, silent, without its standbys, or replaced by one of them. One thing at a time. */
const toStorage =
  (work: (storage: ServedStorage, planned: Parameters<Fault>[1]) => Promise<string>): Fault =>
  async ({ storage, inTurn }, planned) =>
    storage === null ? null : inTurn('storage', () => work(storage, planned));

const STANDBYS = 2;

/** It comes back with what it has on its disk, as what it was. */
export const killPostgres = toStorage(async ({ cluster }, { forMs }) => {
  const primary = await cluster.primary();
  await primary.kill();
  await Bun.sleep(forMs);
  await primary.start();
  await untilFollowed(primary, STANDBYS);
  return `server ${primary.name} away for ${forMs} ms, and however long it took to recover`;
});

/** The primary dies, or stands still; a standby is promoted, and the other follows that. Later it comes back as a standby. */
export const failOver = toStorage(async ({ cluster }, { target, forMs }) => {
  const former = await cluster.primary();
  if (target === 'killed') await former.kill();
  else former.freeze();
  // As long as whoever watches over a cluster takes to be sure of it.
  await Bun.sleep(forMs);
  const promoted = await cluster.promote();
  await untilFollowed(promoted, STANDBYS - 1);
  if (target !== 'killed') await former.kill();
  await former.follow(promoted);
  await untilFollowed(promoted, STANDBYS);
  return `server ${former.name} ${target}, server ${promoted.name} promoted after ${forMs} ms`;
});

/** No commit can be acknowledged. */
export const leaveAlone = toStorage(async ({ cluster }, { forMs }) => {
  const primary = await cluster.primary();
  const standbys = cluster.members.filter(member => member !== primary);
  await Promise.all(standbys.map(standby => standby.kill()));
  await Bun.sleep(forMs);
  await Promise.all(standbys.map(standby => standby.start()));
  await untilFollowed(primary, STANDBYS);
  return `server ${primary.name} without standbys for ${forMs} ms`;
});

/** Its sessions neither answer nor close. */
export const silencePostgres = toStorage(async ({ cluster, database }, { forMs }) => {
  const primary = await cluster.primary();
  const sessions = await primary.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'sluice' AND datname = '${database}'`,
  );
  const signal = (name: NodeJS.Signals) => {
    for (const { pid } of sessions) signalQuietly(pid, name);
  };
  signal('SIGSTOP');
  await Bun.sleep(forMs);
  signal('SIGCONT');
  return `${sessions.length} sessions for ${forMs} ms`;
});

/** Some are gone by then. */
function signalQuietly(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
}
