import { openPostgres } from '../../../src/storage/postgres/engine.ts';
import { migratedDatabase } from '../../support/migrated-database.ts';
import type { OpenedStorage } from './suite.ts';

/** What is asked of them here is what they store, not how soon they give up on a server that stalls. */
const PATIENCE_MS = 120_000;

/** Two nodes on one fresh PostgreSQL database. */
export async function openTwoNodes(): Promise<OpenedStorage> {
  const { url, drop } = await migratedDatabase();
  const timeouts = {
    reachMs: PATIENCE_MS,
    connectMs: PATIENCE_MS,
    waitMs: PATIENCE_MS,
    appendMs: PATIENCE_MS,
    sendersMs: PATIENCE_MS,
    nodesMs: PATIENCE_MS,
    otherMs: PATIENCE_MS,
  };
  const open = () => openPostgres({ url, onFatal: fail, timeouts });
  const nodes = await Promise.all([open(), open()]);
  return {
    nodes,
    async remove() {
      await Promise.all(nodes.map(node => node.close()));
      await drop();
    },
  };
}

function fail(reason: string): never {
  throw new Error(reason);
}
