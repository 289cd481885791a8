import { afterAll, beforeAll, expect, test } from 'bun:test';
import pg from 'pg';
import { passOver } from '../../src/storage/move/pass.ts';
import { openStorage } from '../../src/storage/open.ts';
import { openMoveTarget } from '../../src/storage/postgres/move-target.ts';
import { openMoveSource } from '../../src/storage/sqlite/move-source.ts';
import { sluiceCommand } from '../support/executable.ts';
import { contentsOfSource, contentsOfTarget, newSource, plantEvents, runMove } from '../support/move.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { TEST_SECRET_KEY } from '../support/service.ts';
import { until } from '../support/until.ts';

/** `sluice move` cut short: the process killed, the connection lost. */

const EVENTS = 5_000;

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());

interface Position {
  readonly table: string;
  readonly after: readonly string[] | null;
}

/** How far the first copy has come, as it stands in the target. */
async function positionIn(url: string): Promise<Position | null> {
  const [row] = await postgres.administer<{ value: string }>(
    url,
    `SELECT value FROM sluice_move WHERE name = 'position'`,
  );
  return row === undefined ? null : (JSON.parse(row.value) as Position | null);
}

/** A database in which a copy comes as far as the table after the events, and waits there until it is let go. */
async function newTarget(): Promise<{ url: string; letGo(): Promise<void> }> {
  const { url } = await postgres.freshDatabase();
  // Makes the tables, so that one of them can be locked. It has no index, which a move would want to take away first.
  await (await openStorage({ directory: '', databaseUrl: url, onFatal() {} })).close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN; LOCK TABLE pipelines IN ACCESS EXCLUSIVE MODE');
  return { url, letGo: () => client.end() };
}

const isHeldUp = async (url: string): Promise<boolean> =>
  (await movesOn(url, `wait_event_type = 'Lock'`)) === 1;

test('a move that was killed in the midst of a copy goes on from there, and nothing is missing', async () => {
  const directory = await newSource();
  plantEvents(directory, EVENTS);
  const { url, letGo } = await newTarget();
  const child = Bun.spawn([...sluiceCommand(), 'move', '--to', url], {
    env: { PATH: process.env.PATH, SLUICE_DATA_DIR: directory, SLUICE_SECRET_KEY: TEST_SECRET_KEY },
    stdout: 'ignore',
    stderr: 'inherit',
  });
  await until(() => isHeldUp(url), 'The copy does not come as far as that.');
  child.kill('SIGKILL');
  await child.exited;
  await letGo();
  const position = await positionIn(url);
  expect(position?.table).toBe('events');

  const source = openMoveSource(directory, { isStopped: true });
  const reads: (readonly string[] | null)[] = [];
  const watched = {
    ...source,
    read: (...args: Parameters<typeof source.read>) => {
      reads.push(args[1]);
      return source.read(...args);
    },
  };
  await until(async () => (await movesOn(url)) === 0, 'The connection of the dead process stays.');
  const target = await openMoveTarget({
    url,
    replicas: 0,
    installation: source.installation,
    tables: source.tables,
  });
  await passOver(watched, target, { isFirst: true, check: false, onChunk() {} });
  expect(reads[0]).toEqual(position?.after ?? null);
  await target.close();
  source.close();

  expect((await runMove(directory, ['--to', url, '--finish'])).code).toBe(0);
  expect(await contentsOfTarget(url)).toEqual(contentsOfSource(directory));
});

test('a connection that is lost is made again, and the copy goes on', async () => {
  const directory = await newSource();
  plantEvents(directory, EVENTS);
  const { url, letGo } = await newTarget();
  const copied = runMove(directory, ['--to', url]);
  await until(() => isHeldUp(url), 'The copy does not come as far as that.');
  await postgres.administer(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${isMove(url)}`,
  );
  await letGo();
  const { code, complaint } = await copied;
  expect(code).toBe(0);
  expect(complaint).toContain('The target is unavailable, retrying');
  expect((await runMove(directory, ['--to', url, '--finish'])).code).toBe(0);
  expect(await contentsOfTarget(url)).toEqual(contentsOfSource(directory));
});

const isMove = (url: string): string =>
  `application_name = 'sluice move' AND datname = '${new URL(url).pathname.slice(1)}'`;

async function movesOn(url: string, which = 'true'): Promise<number> {
  const [row] = await postgres.administer<{ n: number }>(
    url,
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${isMove(url)} AND ${which}`,
  );
  return row?.n ?? 0;
}
