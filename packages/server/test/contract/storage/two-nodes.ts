import { openPostgres } from '../../../src/storage/postgres/engine.ts';
import { migratedDatabase } from '../../support/migrated-database.ts';
import type { OpenedStorage } from './suite.ts';

/** Two nodes on one fresh PostgreSQL database. */
export async function openTwoNodes(): Promise<OpenedStorage> {
  const { url, drop } = await migratedDatabase();
  const nodes = await Promise.all([
    openPostgres({ url, onFatal: fail }),
    openPostgres({ url, onFatal: fail }),
  ]);
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
