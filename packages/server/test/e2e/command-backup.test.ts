import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../support/command.ts';
import { damageTable } from '../support/damage.ts';
import { acceptedIds, ingestWith } from '../support/endpoints.ts';
import { newFolder } from '../support/folder.ts';
import { seedOrganisation, startTestService, TEST_SECRET_KEY } from '../support/service.ts';

describe('sluice backup', () => {
  test('of a database that is being written restores to every event that was answered before', async () => {
    const live = await startTestService({ directory: newFolder() });
    const seed = await seedOrganisation(live.engine);
    const send = ingestWith(live.url, seed.apiKey);
    const before: string[] = [];
    for (let i = 0; i < 20; i++) {
      const events = Array.from({ length: 100 }, (_, n) => ({ type: 'order.paid', payload: { i, n } }));
      before.push(...acceptedIds(await send({ events })));
    }

    let writing = true;
    const meanwhile = (async () => {
      let count = 0;
      while (writing) count += acceptedIds(await send({ events: [{ type: 'meanwhile' }] })).length;
      return count;
    })();
    const file = join(newFolder(), 'copy.db');
    const { code, out, err } = await runCommand(['backup', file], { SLUICE_DATA_DIR: live.directory });
    writing = false;
    expect(await meanwhile).toBeGreaterThan(0);
    await live.stop();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('The secret key is not included');
    expect(out).toContain(join(live.directory, 'secret.key'));
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const directory = newFolder();
    renameSync(file, join(directory, 'sluice.db'));
    const restored = await startTestService({ directory });
    for (const id of before) expect(await restored.engine.journal.findEvent(seed.orgId, id)).not.toBeNull();
    const again = ingestWith(restored.url, seed.apiKey);
    expect((await again({ events: [{ type: 'after' }] })).status).toBe(202);
    await restored.stop();
  });

  test('holds no secret in the clear, and not the secret key', async () => {
    const live = await startTestService({ directory: newFolder() });
    const seed = await seedOrganisation(live.engine);
    const source = await seed.source('hmac');
    const file = join(newFolder(), 'copy.db');
    const settings = { SLUICE_DATA_DIR: live.directory, SLUICE_SECRET_KEY: TEST_SECRET_KEY };
    const { out } = await runCommand(['backup', file], settings);
    await live.stop();
    expect(out).toContain('Store SLUICE_SECRET_KEY separately');
    const bytes = await Bun.file(file).text();
    for (const secret of [TEST_SECRET_KEY, seed.apiKey, source.secret, source.token]) {
      expect(bytes.includes(secret)).toBe(false);
    }
    expect(bytes.includes(seed.orgId)).toBe(true);
  });

  test('replaces no file, and leaves none behind when it cannot be made', async () => {
    const live = await startTestService({ directory: newFolder() });
    const target = newFolder();
    const settings = { SLUICE_DATA_DIR: live.directory };
    await Bun.write(join(target, 'there.db'), 'precious');
    const taken = await runCommand(['backup', join(target, 'there.db')], settings);
    expect(taken.code).toBe(1);
    expect(taken.err).toContain('exists already');
    expect(await Bun.file(join(target, 'there.db')).text()).toBe('precious');
    const nowhere = await runCommand(['backup', join(target, 'no', 'such', 'folder.db')], settings);
    expect(nowhere.code).toBe(1);
    expect(nowhere.err).toContain(`There is no folder ${join(target, 'no', 'such')}`);
    await live.stop();
    // A source that cannot be read to its end makes no copy, whole or half.
    damageTable(join(live.directory, 'sluice.db'), 'events');
    const damaged = await runCommand(['backup', join(target, 'half.db')], settings);
    expect(damaged.code).toBe(1);
    expect(readdirSync(target)).toEqual(['there.db']);
  });

  test('says what to do where there is nothing to copy, or another tool is right', async () => {
    const empty = newFolder();
    const none = await runCommand(['backup', join(empty, 'x.db')], { SLUICE_DATA_DIR: empty });
    expect(none).toMatchObject({ code: 1, out: '' });
    expect(none.err).toContain(`There is no database in ${empty}`);
    expect(existsSync(join(empty, 'sluice.db'))).toBe(false);
    expect(await runCommand(['backup'])).toMatchObject({ code: 64, out: '' });
    const postgres = await runCommand(['backup', 'x.db'], {
      SLUICE_DATABASE_URL: 'postgres://sluice@127.0.0.1/sluice',
      SLUICE_SECRET_KEY: TEST_SECRET_KEY,
    });
    expect(postgres.code).toBe(64);
    expect(postgres.err).toContain('pg_dump');
  });
});

describe('sluice restore', () => {
  test('puts a backup in place, sets aside what was there, and only where that is asked for', async () => {
    const live = await startTestService({ directory: newFolder() });
    const seed = await seedOrganisation(live.engine);
    const [kept = ''] = acceptedIds(await ingestWith(live.url, seed.apiKey)({ events: [{ type: 'kept' }] }));
    const file = join(newFolder(), 'copy.db');
    const settings = { SLUICE_DATA_DIR: live.directory, SLUICE_SECRET_KEY: TEST_SECRET_KEY };
    expect((await runCommand(['backup', file], settings)).code).toBe(0);
    const [later = ''] = acceptedIds(
      await ingestWith(live.url, seed.apiKey)({ events: [{ type: 'later' }] }),
    );

    const running = await runCommand(['restore', file, '--force'], settings);
    expect(running.code).toBe(1);
    expect(running.err).toContain('Another Sluice process is using the data directory');
    await live.stop();
    const there = await runCommand(['restore', file], settings);
    expect(there).toMatchObject({ code: 1, out: '' });
    expect(there.err).toContain('holds a database already');

    const forced = await runCommand(['restore', file, '--force', '--json'], settings);
    expect({ code: forced.code, err: forced.err }).toEqual({ code: 0, err: '' });
    const { set_aside: setAside, events } = JSON.parse(forced.out) as { set_aside: string; events: number };
    expect(events).toBe(1);
    expect(statSync(join(live.directory, 'sluice.db')).mode & 0o777).toBe(0o600);
    const restored = await startTestService({ directory: live.directory });
    expect(await restored.engine.journal.findEvent(seed.orgId, kept)).not.toBeNull();
    expect(await restored.engine.journal.findEvent(seed.orgId, later)).toBeNull();
    await restored.stop();

    // What was set aside is whole: it goes back as a backup would.
    const again = newFolder();
    expect((await runCommand(['restore', setAside], { ...settings, SLUICE_DATA_DIR: again })).code).toBe(0);
    const before = await startTestService({ directory: again });
    expect(await before.engine.journal.findEvent(seed.orgId, later)).not.toBeNull();
    await before.stop();
  });

  test('touches nothing where the file is no sound backup, or another tool is right', async () => {
    const directory = join(newFolder(), 'data');
    const folder = newFolder();
    const settings = { SLUICE_DATA_DIR: directory };
    await Bun.write(join(folder, 'note.txt'), 'no database at all, but long enough to be looked at');
    const none = await runCommand(['restore', join(folder, 'none.db')], settings);
    expect(none).toMatchObject({ code: 1, err: `There is no file ${join(folder, 'none.db')}.\n` });
    const other = await runCommand(['restore', join(folder, 'note.txt')], settings);
    expect(other).toMatchObject({ code: 1, err: `${join(folder, 'note.txt')} is not a Sluice backup.\n` });
    expect(existsSync(directory)).toBe(false);

    const live = await startTestService({ directory: newFolder() });
    const copy = join(folder, 'copy.db');
    await runCommand(['backup', copy], { SLUICE_DATA_DIR: live.directory });
    await live.stop();
    damageTable(copy, 'settings');
    expect((await runCommand(['restore', copy], settings)).code).toBe(1);
    expect(existsSync(join(directory, 'sluice.db'))).toBe(false);
    expect(readdirSync(directory)).toEqual(['sluice.lock']);

    const postgres = await runCommand(['restore', copy], {
      SLUICE_DATABASE_URL: 'postgres://sluice@127.0.0.1/sluice',
      SLUICE_SECRET_KEY: TEST_SECRET_KEY,
    });
    expect(postgres.code).toBe(64);
    expect(postgres.err).toContain('pg_restore');
  });
});
