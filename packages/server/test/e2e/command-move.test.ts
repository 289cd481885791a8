import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../../src/core/ids.ts';
import { keyCheckValue } from '../../src/core/secrets/key-check.ts';
import { examineStorage } from '../../src/storage/examine.ts';
import { openStorage } from '../../src/storage/open.ts';
import { UNFINISHED_MOVE } from '../../src/storage/postgres/unfinished-move.ts';
import { openMoveSource } from '../../src/storage/sqlite/move-source.ts';
import { anEvent, anOrganisation, aRequest, idAt } from '../contract/storage/samples.ts';
import { newFolder } from '../support/folder.ts';
import {
  change,
  contentsOfSource,
  contentsOfTarget,
  newSource,
  plantEvents,
  plantEverywhere,
  runMove,
} from '../support/move.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { startTestService, TEST_SECRET_KEY } from '../support/service.ts';
import { until } from '../support/until.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());

const freshUrl = async () => (await postgres.freshDatabase()).url;
const isSameOnBoth = async (directory: string, url: string) =>
  expect(await contentsOfTarget(url)).toEqual(contentsOfSource(directory));
const indexesOf = (url: string) =>
  postgres.administer(
    url,
    'SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1',
  );
/** What `sluice doctor` has to say against it. */
const faultsOf = async (directory: string, databaseUrl: string | undefined) => {
  const findings = await examineStorage({
    directory,
    databaseUrl,
    keyChecks: [keyCheckValue(TEST_SECRET_KEY)],
  });
  return findings.filter(({ ok }) => !ok).map(({ matter }) => matter);
};
const serve = (settings: Record<string, string>, directory = newFolder()) =>
  startTestService({ directory, settings });

describe('sluice move', () => {
  test('carries every row of every table, byte for byte, and leaves the target as a service would have made it', async () => {
    const directory = await newSource();
    const tables = plantEverywhere(directory);
    plantEvents(directory, 1, JSON.stringify({ text: '漢🛒\\u0000'.repeat(200_000) }), 1);
    const url = await freshUrl();
    const before = contentsOfSource(directory);
    for (const { name } of tables) expect([name, before[name]?.length ?? 0]).not.toEqual([name, 0]);

    expect(await runMove(directory, ['--to', url])).toMatchObject({ code: 0, complaint: '' });
    const finished = await runMove(directory, ['--to', url, '--finish', '--json']);
    expect(finished).toMatchObject({ code: 0, complaint: '' });
    const report = JSON.parse(finished.said) as { tables: { table: string; rows: number }[] };
    expect(report).toMatchObject({ finished: true, changed: 0 });
    expect(Object.fromEntries(report.tables.map(({ table, rows }) => [table, rows]))).toEqual(
      Object.fromEntries(Object.entries(before).map(([table, rows]) => [table, rows.length])),
    );
    await isSameOnBoth(directory, url);
    expect(contentsOfSource(directory)).toEqual(before);

    const ordinary = await freshUrl();
    await (await openStorage({ directory, databaseUrl: ordinary, onFatal() {} })).close();
    expect(await indexesOf(url)).toEqual(await indexesOf(ordinary));
  });

  test('finds at the end whatever was added, changed or removed since, and what is wrong in the target', async () => {
    const directory = await newSource();
    plantEverywhere(directory);
    plantEvents(directory, 16_000);
    const url = await freshUrl();
    expect((await runMove(directory, ['--to', url])).code).toBe(0);

    change(directory, database => {
      // More than are compared at once go, and with them the chunks that ended there.
      database.run(`DELETE FROM events WHERE id BETWEEN 'evt_00001500' AND 'evt_00013000'`);
      database.run(
        `UPDATE events SET payload = '{"erased_at":"now"}', erased_at = 9 WHERE id = 'evt_00000007'`,
      );
      // What must be unique passes from one row to another, both ways.
      const [one, other] = database.query('SELECT id, email FROM users ORDER BY id').all() as {
        id: string;
        email: string;
      }[];
      const setEmail = database.query('UPDATE users SET email = ? WHERE id = ?');
      setEmail.run('between', one?.id ?? '');
      setEmail.run(one?.email ?? '', other?.id ?? '');
      setEmail.run(other?.email ?? '', one?.id ?? '');
      database.run(`DELETE FROM entity_links WHERE from_id = (SELECT max(from_id) FROM entity_links)`);
      database.run(`DELETE FROM entities WHERE id NOT IN (SELECT from_id FROM entity_links)`);
      database.run(`DELETE FROM rejections WHERE n = 0`);
    });
    plantEvents(directory, 50, '{"new":true}', 90_000);
    const planted = [
      `UPDATE events SET payload = '{"n":2}' WHERE id = 'evt_00000100'`,
      `DELETE FROM events WHERE id = 'evt_00000101'`,
      `INSERT INTO settings VALUES ('stray', 'x')`,
    ];
    for (const statement of planted) await postgres.administer(url, statement);

    const finished = await runMove(directory, ['--to', url, '--finish', '--json']);
    expect(finished).toMatchObject({ code: 0, complaint: '' });
    expect((JSON.parse(finished.said) as { changed: number }).changed).toBeGreaterThan(11_500);
    await isSameOnBoth(directory, url);
  });

  test('is not finished while the target has other rows than were written, and says which', async () => {
    const directory = await newSource();
    plantEvents(directory, 10);
    const url = await freshUrl();
    expect((await runMove(directory, ['--to', url])).code).toBe(0);
    for (const statement of [
      `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.type := 'other'; RETURN NEW; END $$`,
      'CREATE TRIGGER spoil BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION spoil()',
    ]) {
      await postgres.administer(url, statement);
    }
    plantEvents(directory, 1, '{}', 10);
    const spoilt = await runMove(directory, ['--to', url, '--finish']);
    expect(spoilt.code).toBe(1);
    expect(spoilt.complaint).toContain('The rows of events differ in the target');
    expect(existsSync(join(directory, 'sluice.moved'))).toBe(false);
    await expect(serve({ SLUICE_DATABASE_URL: url })).rejects.toThrow('sluice move --finish');

    expect(await faultsOf(directory, url)).toEqual(['move']);

    await postgres.administer(url, 'DROP TRIGGER spoil ON events');
    expect((await runMove(directory, ['--to', url, '--finish'])).code).toBe(0);
    await isSameOnBoth(directory, url);
  });

  test('refuses a target that holds something, or is served, and changes nothing there', async () => {
    const directory = await newSource();
    const refused = async (url: string, sentence: string, from = directory) => {
      const { code, complaint } = await runMove(from, ['--to', url]);
      expect({ code, complaint }).toEqual({ code: 1, complaint: expect.stringContaining(sentence) });
    };
    const foreign = await freshUrl();
    await postgres.administer(foreign, 'CREATE TABLE events (id INT)');
    await refused(foreign, 'tables of something else');
    expect(
      await postgres.administer(
        foreign,
        'SELECT tablename FROM pg_tables WHERE schemaname = current_schema()',
      ),
    ).toEqual([{ tablename: 'events' }]);

    const served = await freshUrl();
    const service = await serve({ SLUICE_DATABASE_URL: served });
    await until(
      async () => (await postgres.administer(served, 'SELECT FROM nodes')).length > 0,
      'It does not join.',
    );
    await refused(served, 'A service is running on the target');
    await service.stop();
    // What a first start leaves where nobody came is no installation.
    expect((await runMove(directory, ['--to', served])).code).toBe(0);
    await refused(served, 'unfinished move of another installation', await newSource());

    const used = await freshUrl();
    await (await openStorage({ directory, databaseUrl: used, onFatal() {} })).close();
    await postgres.administer(used, `INSERT INTO organisations VALUES ('org_2', 'Other', NULL, '[]', 1)`);
    await refused(used, 'holds another installation');
  });

  test('refuses what cannot be moved: no database, another key, an earlier schema, a wrong address', async () => {
    const url = await freshUrl();
    const directory = await newSource();
    const empty = newFolder();
    expect((await runMove(empty, ['--to', url])).complaint).toContain(`There is no database in ${empty}`);
    expect((await runMove(empty, ['--to', url, '--finish'])).complaint).toContain('There is no database');
    expect(existsSync(join(empty, 'sluice.lock'))).toBe(false);
    expect((await runMove(directory, [])).complaint).toContain('--to is missing (or SLUICE_DATABASE_URL)');
    expect((await runMove(directory, ['--to', 'mysql://x'])).complaint).toContain('postgres://');
    const otherKey = await runMove(directory, ['--to', url], 'another secret key of 32 characters or more');
    expect(otherKey.complaint).toContain('The secret key at hand is not the one');
    change(directory, database => database.run('PRAGMA user_version = 3'));
    expect((await runMove(directory, ['--to', url])).complaint).toContain(
      'Start the service of this version',
    );
    // None of them came as far as the target.
    expect(
      await postgres.administer(url, 'SELECT FROM pg_tables WHERE schemaname = current_schema()'),
    ).toEqual([]);
  });

  test('marks the source at the end: a service started there refuses and names the way back', async () => {
    const directory = await newSource();
    plantEvents(directory, 1);
    const url = await freshUrl();
    await expect(runMove(directory, ['--to', url, '--finish'])).resolves.toMatchObject({ code: 0 });
    const mark = join(directory, 'sluice.moved');
    await expect(serve({}, directory)).rejects.toThrow(`remove ${mark}`);
    expect(await faultsOf(directory, undefined)).toEqual(['move']);
    expect((await runMove(directory, ['--to', await freshUrl()])).complaint).toContain(
      'was moved to PostgreSQL at',
    );
    const again = await runMove(directory, ['--to', url, '--finish']);
    expect(again).toMatchObject({ code: 1, complaint: expect.stringContaining('finished before') });
    rmSync(mark);
    await (await serve({}, directory)).stop();
  });

  test('ends with the reason where the source cannot be marked, and neither side is served', async () => {
    const [directory, url] = [await newSource(), await freshUrl()];
    expect((await runMove(directory, ['--to', url])).code).toBe(0);
    // As on a full disk: the mark cannot be written.
    mkdirSync(join(directory, 'sluice.moved.unfinished'));
    const failed = await runMove(directory, ['--to', url, '--finish']);
    expect([failed.code, failed.complaint]).toEqual([1, expect.stringContaining('sluice.moved')]);
    await expect(openStorage({ directory: '', databaseUrl: url, onFatal() {} })).rejects.toThrow(
      'not finished',
    );
    rmSync(join(directory, 'sluice.moved.unfinished'), { recursive: true });
    expect((await runMove(directory, ['--to', url, '--finish'])).code).toBe(0);
  });

  test('stops a service that was starting on the target when it began', async () => {
    const [directory, url] = [await newSource(), await freshUrl()];
    const reasons: string[] = [];
    const starting = await openStorage({
      directory: '',
      databaseUrl: url,
      onFatal: reason => reasons.push(reason),
    });
    expect((await runMove(directory, ['--to', url])).code).toBe(0);
    const node = { id: 'node_1', roles: [], version: '1.2.3', host: 'here' };
    await expect(starting.upkeep.join(node, false)).rejects.toThrow('not finished');
    await expect(starting.upkeep.heartbeat('node_1')).rejects.toThrow('not finished');
    expect(reasons).toEqual([UNFINISHED_MOVE, UNFINISHED_MOVE]);
    await starting.close();
    expect((await runMove(directory, ['--to', url, '--finish'])).code).toBe(0);
  });

  test('what a service that was killed had counted and not written is counted again on the target', async () => {
    const [directory, url] = [await newSource(), await freshUrl()];
    const killed = await openStorage({ directory, databaseUrl: undefined, onFatal() {} });
    const at = Date.now();
    const org = anOrganisation();
    await killed.upkeep.join({ id: 'node_1', roles: [], version: '1.2.3', host: 'here' }, true);
    await killed.accounts.createOrganisation(org, idAt('usr', at));
    await killed.journal.append([aRequest(org.id, [anEvent({ id: newId('evt', at) })], { receivedAt: at })]);
    await killed.close();
    expect((await runMove(directory, ['--to', url])).code).toBe(0);
    expect((await runMove(directory, ['--to', url, '--finish'])).code).toBe(0);
    const moved = await openStorage({ directory: '', databaseUrl: url, onFatal() {} });
    while (await moved.upkeep.recountAfter(0));
    const window = { from: at - (at % 3_600_000) - 3_600_000, stepMs: 3 * 3_600_000, points: 1 };
    expect(await moved.counters.readCounters(org.id, [''], ['received'], window)).toMatchObject([
      { amount: 1 },
    ]);
    await moved.close();
  });

  test('reads large rows a few at a time', async () => {
    const directory = await newSource();
    plantEvents(directory, 40, 'x'.repeat(1024 * 1024));
    const source = openMoveSource(directory, { isStopped: true });
    const events = source.tables.find(({ name }) => name === 'events');
    if (events === undefined) throw new Error('There are no events.');
    const counts: number[] = [];
    let after: readonly string[] | null = null;
    do {
      const chunk = source.read(events, after);
      counts.push(chunk.count);
      after = chunk.upTo;
    } while (after !== null);
    source.close();
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(40);
    expect(Math.max(...counts)).toBeLessThanOrEqual(5);
  });
});
