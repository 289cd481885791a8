import { rmSync } from 'node:fs';
import { openSqlite } from '../../../src/storage/sqlite/engine.ts';
import { emptyFile } from '../../support/empty-file.ts';
import { temporaryDirectory } from '../../support/service.ts';
import { storageContract } from './suite.ts';

storageContract('SQLite', async () => {
  const directory = temporaryDirectory();
  const engine = await openSqlite({ directory, onFatal: fail });
  return {
    nodes: [engine],
    empty: () => emptyFile(directory),
    async remove() {
      await engine.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});

function fail(reason: string): never {
  throw new Error(reason);
}
