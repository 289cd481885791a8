import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { migrations } from '../../src/storage/migrations/index.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { type OldInstallation, oldInstallations, PASSWORD } from '../support/first-edition.ts';
import { expectDeliveriesOfOld, expectEventsOfOld } from '../support/first-edition-rows.ts';
import { logIn } from '../support/from-outside.ts';
import { startPostgres } from '../support/postgres.ts';
import { refusedStart, tampering } from '../support/process.ts';
import { temporaryDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

/**
 * The rows of an old installation go through all migrations since, and the start is cut short again and again on the way.
 * Whatever it had done, the next start goes on, and in the end every row is as it would be without that.
 */

async function expectRowsOfOld({ url, left }: OldInstallation): Promise<void> {
  const enter = (name: string) => logIn(url, `${name}@example.com`, PASSWORD);
  const readers = { Acme: await enter('owner'), Borealis: await enter('bea') };
  await expectEventsOfOld(left, readers);
  await expectDeliveriesOfOld(left, readers);
}

test('killed again and again while it migrates what the first edition left in SQLite, it completes', async () => {
  const reached: number[] = [];
  const old = await oldInstallations.SQLite(async directory => {
    reached.push(versionIn(directory));
    // Before a flush that commits a step, and between the writes of one. Each start goes on where the last one was cut.
    for (const moment of ['fsync:4', 'pwrite64:30', 'fsync:3', 'pwrite64:45', 'fsync:2', 'pwrite64:25']) {
      const [call, n] = moment.split(':');
      const under = tampering(`${call}:signal=SIGKILL:when=${n}`);
      // With the key that lies there.
      const settings = { SLUICE_SECRET_KEY: '' };
      expect((await refusedStart({ directory, settings, under })).end).toBe('SIGKILL');
      reached.push(versionIn(directory));
    }
  });
  try {
    expect(reached).toEqual(reached.toSorted((one, other) => one - other));
    expect(new Set(reached).size).toBeGreaterThan(3);
    expect(reached.at(-1)).toBeLessThan(migrations.length);
    await expectRowsOfOld(old);
  } finally {
    await old.close();
  }
});

/** How far the migrations have come, from a copy: whoever opens the file itself has begun with its journal. */
function versionIn(directory: string): number {
  const copy = temporaryDirectory();
  cpSync(directory, copy, { recursive: true });
  const database = new Database(join(copy, 'sluice.db'));
  const { user_version } = database.query('PRAGMA user_version').get() as { user_version: number };
  database.close();
  rmSync(copy, { recursive: true });
  return user_version;
}

/** Rows that a step writes, and which step that is; it is made to stand there. */
const places = [
  { rows: 'UPDATE ON invitations', step: 10 },
  { rows: 'INSERT ON sources', step: 20 },
  { rows: 'UPDATE ON deliveries', step: 26 },
] as const;
const HELD = 4_711;

test('its database killed, its sessions ended while it migrates what the first edition left in PostgreSQL, it completes', async () => {
  const server = await startPostgres();
  const old = await oldInstallations.PostgreSQL(async url => {
    for (const { rows, step } of places) {
      for (const end of ['sessions', 'server'] as const) {
        const rival = new pg.Client({ connectionString: url });
        rival.on('error', () => {});
        await rival.connect();
        await rival.query(`
          CREATE OR REPLACE FUNCTION stand() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN PERFORM pg_advisory_xact_lock(${HELD}); RETURN NEW; END $$;
          CREATE OR REPLACE TRIGGER stand BEFORE ${rows} FOR EACH ROW EXECUTE FUNCTION stand();
          SELECT pg_advisory_lock(${HELD})`);
        const failure = openPostgres({ url, onFatal() {} }).then(
          () => null,
          (error: unknown) => error,
        );
        const stands = () =>
          server.administer(url, `SELECT FROM pg_locks WHERE NOT granted AND objid = ${HELD}`);
        await until(async () => (await stands()).length > 0, `It does not come to ${rows}.`);
        if (end === 'server') {
          await server.stopImmediately();
          expect(await failure).toBeInstanceOf(Error);
          await server.startAgain();
        } else {
          await server.administer(
            url,
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()`,
          );
          expect(await failure).toBeInstanceOf(Error);
        }
        expect(await server.administer(url, 'SELECT max(version)::int AS done FROM schema_version')).toEqual([
          { done: step - 1 },
        ]);
      }
      await server.administer(url, 'DROP FUNCTION stand() CASCADE');
    }
  }, server.freshDatabase);
  try {
    await expectRowsOfOld(old);
  } finally {
    await old.close();
    await server.remove();
  }
});
