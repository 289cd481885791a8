import { expect, test } from 'bun:test';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../support/folder.ts';
import { startTestService } from '../support/service.ts';

/** Name and permissions of whatever is in the directory. */
const listing = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).map(name => [
      name,
      modeOf(join(directory, name)),
    ]),
  );
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test('whatever is in the data directory is for nobody else, also what an earlier version has left there', async () => {
  const directory = join(newFolder(), 'data');
  const start = () => startTestService({ directory, settings: { SLUICE_SECRET_KEY: '' } });
  const files = {
    'secret.key': '600',
    'sluice.db': '600',
    'sluice.db-shm': '600',
    'sluice.db-wal': '600',
    'sluice.lock': '600',
  };
  const usual = process.umask(0o022);
  try {
    const first = await start();
    expect(modeOf(directory)).toBe('700');
    expect(listing(directory)).toMatchObject(files);
    expect(new Set(Object.values(listing(directory)))).toEqual(new Set(['600']));
    await first.stop();

    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o644);
    const second = await start();
    expect(listing(directory)).toMatchObject(files);
    expect(new Set(Object.values(listing(directory)))).toEqual(new Set(['600']));
    await second.stop();
  } finally {
    process.umask(usual);
  }
});
