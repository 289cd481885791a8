import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandResult, runCommand } from '../support/command.ts';
import { damageTable } from '../support/damage.ts';
import { newFolder } from '../support/folder.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startProcess } from '../support/process.ts';
import { seedOrganisation, startTestService, TEST_SECRET_KEY } from '../support/service.ts';

const doctor = (settings: Record<string, string>) => runCommand(['doctor'], settings);

/** The matters that stand under Storage, each with its verdict. */
const verdicts = ({ out }: CommandResult): Record<string, string> =>
  Object.fromEntries(
    [...out.matchAll(/^ {2}(ok|BAD) +(storage|damage|schema|secret key|durability|disk) /gm)].map(
      ([, verdict = '', matter = '']) => [matter, verdict],
    ),
  );

describe('sluice doctor', () => {
  test('finds all well beside a service that is up, and disturbs nothing', async () => {
    const live = await startTestService({ directory: newFolder() });
    const seed = await seedOrganisation(live.engine);
    const settings = { SLUICE_DATA_DIR: live.directory, SLUICE_SECRET_KEY: TEST_SECRET_KEY };
    const result = await doctor(settings);
    expect({ code: result.code, err: result.err }).toEqual({ code: 0, err: '' });
    expect(verdicts(result)).toEqual({
      storage: 'ok',
      damage: 'ok',
      schema: 'ok',
      'secret key': 'ok',
      durability: 'ok',
      disk: 'ok',
    });
    const response = await fetch(`${live.url}/v1/ingest`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${seed.apiKey}` },
      body: '{"events":[{"type":"after"}]}',
    });
    expect(response.status).toBe(202);
    await live.stop();
    // And of one that was stopped cleanly.
    expect((await doctor(settings)).code).toBe(0);
  });

  test('names the damage of a file and the way back, and leaves the file as it is', async () => {
    const live = await startTestService({ directory: newFolder() });
    await seedOrganisation(live.engine);
    await live.stop();
    const file = join(live.directory, 'sluice.db');
    damageTable(file, 'events');
    const before = readFileSync(file);
    const result = await doctor({ SLUICE_DATA_DIR: live.directory, SLUICE_SECRET_KEY: TEST_SECRET_KEY });
    expect(result.code).toBe(1);
    expect(verdicts(result)).toMatchObject({ damage: 'BAD' });
    expect(result.out).toContain('put your last backup in its place');
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('names a commit that the journal has lost, and a database that is gone', async () => {
    const directory = newFolder();
    const killed = await startProcess({ directory });
    for (let i = 0; i < 4; i++) expect((await fetch(`${killed.url}/readyz`)).status).toBe(200);
    killed.kill('SIGKILL');
    await killed.ended;
    const settings = { SLUICE_DATA_DIR: directory, SLUICE_SECRET_KEY: TEST_SECRET_KEY };
    const journal = join(directory, 'sluice.db-wal');
    const bytes = readFileSync(journal);
    bytes.fill(0xff, 32 + 100, 32 + 200);
    writeFileSync(journal, bytes);
    const damaged = await doctor(settings);
    expect(damaged.code).toBe(1);
    expect(damaged.out).toContain('of its journal is not valid');
    expect(readFileSync(journal).equals(bytes)).toBe(true);

    for (const file of ['sluice.db', 'sluice.db-wal', 'sluice.db-shm'])
      rmSync(join(directory, file), { force: true });
    const gone = await doctor(settings);
    expect(gone.code).toBe(1);
    expect(gone.out).toContain('is missing, and it was there before');
  });

  test('says so when the file is no database at all', async () => {
    const directory = newFolder();
    await Bun.write(join(directory, 'sluice.db'), 'x'.repeat(10_000));
    const result = await doctor({ SLUICE_DATA_DIR: directory });
    expect(result.code).toBe(1);
    expect(verdicts(result)).toMatchObject({ storage: 'BAD' });
  });

  test('detects a wrong secret key, and a lost one', async () => {
    const live = await startTestService({ directory: newFolder(), settings: { SLUICE_SECRET_KEY: '' } });
    await live.stop();
    const settings = { SLUICE_DATA_DIR: live.directory };
    expect(verdicts(await doctor(settings))).toMatchObject({ 'secret key': 'ok' });
    const wrong = await doctor({ ...settings, SLUICE_SECRET_KEY: 'another key of 32 characters or more' });
    expect(wrong.code).toBe(1);
    expect(verdicts(wrong)).toMatchObject({ 'secret key': 'BAD', damage: 'ok' });
    unlinkSync(join(live.directory, 'secret.key'));
    expect(verdicts(await doctor(settings))).toMatchObject({ 'secret key': 'BAD' });
    expect(existsSync(join(live.directory, 'secret.key'))).toBe(false);
  });

  test('shows the settings in use, and hides those that are secret', async () => {
    const result = await doctor({
      SLUICE_DATA_DIR: newFolder(),
      SLUICE_PORT: '8123',
      SLUICE_SECRET_KEY: 'canary-canary-canary-canary-canary',
      SLUICE_ADMIN_EMAIL: 'ada@example.com',
      SLUICE_ADMIN_PASSWORD: 'canary password',
    });
    expect(result.out).toMatch(/SLUICE_PORT +8123\n/);
    expect(result.out).toMatch(/SLUICE_RETENTION_DAYS +30 \(default\)\n/);
    expect(result.out).toMatch(/SLUICE_SECRET_KEY +set, hidden\n/);
    expect(result.out + result.err).not.toContain('canary');
  });

  test('makes nothing where there is nothing yet', async () => {
    const directory = join(newFolder(), 'data');
    const result = await doctor({ SLUICE_DATA_DIR: directory });
    expect(result.code).toBe(0);
    expect(existsSync(directory)).toBe(false);
  });

  test('examines PostgreSQL: empty, in use, with another key, and away', async () => {
    const database = await freshDatabase();
    const settings = { SLUICE_DATABASE_URL: database.url, SLUICE_SECRET_KEY: TEST_SECRET_KEY };
    expect((await doctor(settings)).out).toContain('the database is empty');

    const live = await startTestService({ settings });
    expect(verdicts(await doctor(settings))).toEqual({
      storage: 'ok',
      durability: 'ok',
      schema: 'ok',
      'secret key': 'ok',
    });
    const wrong = { ...settings, SLUICE_SECRET_KEY: 'another key of 32 characters or more' };
    expect(verdicts(await doctor(wrong))).toMatchObject({ 'secret key': 'BAD' });
    await live.stop();
    await database.drop();

    const away = new URL(database.url);
    away.port = '1';
    const result = await doctor({ ...settings, SLUICE_DATABASE_URL: away.href });
    expect(result.code).toBe(1);
    expect(verdicts(result)).toEqual({ storage: 'BAD' });
    expect(result.out).not.toContain(away.password);
  });
});
