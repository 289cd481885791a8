import { openPostgres } from '../../../src/storage/postgres/engine.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { storageContract } from './suite.ts';

storageContract('PostgreSQL', async () => {
  const { url, drop } = await freshDatabase();
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
});

function fail(reason: string): never {
  throw new Error(reason);
}
