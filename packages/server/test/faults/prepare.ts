import { test } from 'bun:test';
import { rmSync } from 'node:fs';
import { days } from '../../src/core/clock.ts';
import { hashSecret, newSecret } from '../../src/core/secrets/vault.ts';
import type { StorageEngine } from '../../src/core/stores/engine.ts';
import { openStorage } from '../../src/storage/open.ts';
import { freshDatabase } from '../support/postgres.ts';
import { type Seed, type SeededSource, seedOrganisation, temporaryDirectory } from '../support/service.ts';

/** A data directory with an organisation, a key and a source in it, for the process that a test will torment. */
export interface Prepared {
  readonly directory: string;
  readonly seed: Seed;
  readonly source: SeededSource;
  /** The cookie of somebody who is logged in at the dashboard. */
  readonly cookie: string;
  /** The embedded database, once the process is gone. */
  reopen(): Promise<StorageEngine>;
}

/** A data directory, and a database in it or elsewhere, that a process and the test itself open in turn. */
export interface Installation {
  readonly directory: string;
  /** For the process. */
  readonly settings: Record<string, string>;
  open(): Promise<StorageEngine>;
  remove(): void;
}

export function newInstallation(databaseUrl: string | undefined): Installation {
  const directory = temporaryDirectory();
  return {
    directory,
    settings: databaseUrl === undefined ? {} : { SLUICE_DATABASE_URL: databaseUrl },
    open: () =>
      openStorage({
        directory,
        databaseUrl,
        onFatal: reason => {
          throw new Error(reason);
        },
      }),
    remove: () => rmSync(directory, { recursive: true }),
  };
}

/** The same test on both engines. */
export function onBothEngines(run: (databaseUrl: string | undefined) => Promise<void>): void {
  test('SQLite', () => run(undefined));

  test('PostgreSQL', async () => {
    const database = await freshDatabase();
    await run(database.url);
    await database.drop();
  });
}

export async function prepareDirectory(): Promise<Prepared> {
  const { directory, open: reopen } = newInstallation(undefined);
  const engine = await reopen();
  const seed = await seedOrganisation(engine);
  const source = await seed.source('hmac');
  const token = newSecret('ses');
  const now = Date.now();
  const { userId, orgId } = seed;
  const session = { tokenHash: hashSecret(token), userId, orgId, createdAt: now, expiresAt: now + days(1) };
  // The first user of all has no password.
  if (!(await engine.accounts.beginSession(session, ''))) throw new Error('No session was begun.');
  await engine.close();
  return { directory, seed, source, cookie: `sluice_session=${token}`, reopen };
}
