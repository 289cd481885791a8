import { expect, test } from 'bun:test';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { seedOrganisation, temporaryDirectory } from '../../../test/support/service.ts';
import { databaseFile, openSqlite } from './engine.ts';

const fail = (reason: string) => {
  throw new Error(reason);
};

test('a clean stop leaves one tidy file, and whoever comes next may open it at once', async () => {
  const directory = temporaryDirectory();
  for (let n = 0; n < 3; n++) {
    const engine = await openSqlite({ directory, onFatal: fail });
    await seedOrganisation(engine);
    await engine.close();
    expect(readdirSync(directory).sort()).toEqual(['sluice.db', 'sluice.lock']);
  }
  rmSync(directory, { recursive: true });
});

test('nobody else on the machine can read the database', async () => {
  const directory = temporaryDirectory();
  const engine = await openSqlite({ directory, onFatal: fail });
  expect(statSync(databaseFile(directory)).mode & 0o777).toBe(0o600);
  await engine.close();
  rmSync(directory, { recursive: true });
});

test('a start that is refused lets go of the directory', async () => {
  const directory = temporaryDirectory();
  await (await openSqlite({ directory, onFatal: fail })).close();
  rmSync(databaseFile(directory));
  for (let n = 0; n < 2; n++) {
    const refused = await openSqlite({ directory, onFatal: fail }).catch((error: Error) => error);
    expect((refused as Error).message).toContain('is missing or empty');
  }
  rmSync(directory, { recursive: true });
});
