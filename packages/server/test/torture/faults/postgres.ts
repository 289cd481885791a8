import type { Fault } from './fault.ts';

/**
 * PostgreSQL as storage, away or silent. Another way to lose it, a standby that is promoted, would stand here as a
 * third fault beside these two, once a node can be given several hosts.
 */
export const killPostgres: Fault = async ({ storage, inTurn }, { forMs }) => {
  if (storage === null) return null;
  return inTurn('storage', async () => {
    await storage.server.stopImmediately();
    await Bun.sleep(forMs);
    await storage.server.startAgain();
    return `away for ${forMs} ms, and however long it took to recover`;
  });
};

/** Its sessions neither answer nor close. */
export const silencePostgres: Fault = async ({ storage, inTurn }, { forMs }) => {
  if (storage === null) return null;
  return inTurn('storage', async () => {
    const sessions = await storage.server.administer<{ pid: number }>(
      storage.url,
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'sluice' AND datname = current_database()`,
    );
    const signal = (name: NodeJS.Signals) => {
      for (const { pid } of sessions) signalQuietly(pid, name);
    };
    signal('SIGSTOP');
    await Bun.sleep(forMs);
    signal('SIGCONT');
    return `${sessions.length} sessions for ${forMs} ms`;
  });
};

/** Some are gone by then. */
function signalQuietly(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
}
