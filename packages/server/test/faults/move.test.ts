import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { passOver } from '../../src/storage/move/pass.ts';
import { openMoveTarget } from '../../src/storage/postgres/move-target.ts';
import { openMoveSource } from '../../src/storage/sqlite/move-source.ts';
import { contentsOfSource, contentsOfTarget, newSource, plantEvents, runMove } from '../support/move.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { TEST_SECRET_KEY } from '../support/service.ts';
import { until } from '../support/until.ts';

/** `sluice move` cut short: the process killed, the connection lost. */
setDefaultTimeout(60_000);

const MAIN = join(import.meta.dir, '../../src/main.ts');
const EVENTS = 30_000;

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());

interface Position {
  readonly table: string;
  readonly after: readonly string[] | null;
}

/** How far the copy of the events has come, as it stands in the target. */
async function positionIn(url: string): Promise<Position | null> {
  const rows = await postgres
    .administer<{ value: string }>(url, `SELECT value FROM sluice_move WHERE name = 'position'`)
    .catch(() => []);
  const position = rows[0] === undefined ? null : (JSON.parse(rows[0].value) as Position | null);
  return position?.table === 'events' && position.after !== null ? position : null;
}

test('a move that was killed in the midst of a copy goes on from there, and nothing is missing', async () => {
  const directory = await newSource();
  plantEvents(directory, EVENTS);
  const { url } = await postgres.freshDatabase();
  const child = Bun.spawn([process.execPath, MAIN, 'move', '--to', url], {
    env: { PATH: process.env.PATH, SLUICE_DATA_DIR: directory, SLUICE_SECRET_KEY: TEST_SECRET_KEY },
    stdout: 'ignore',
    stderr: 'inherit',
  });
  await until(async () => (await positionIn(url)) !== null, 'The copy does not begin.');
  child.kill('SIGKILL');
  await child.exited;
  // Where it was quicker than the signal, the copy is whole, and there is no position to go on from.
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
  const { url } = await postgres.freshDatabase();
  const copied = runMove(directory, ['--to', url]);
  await until(async () => (await positionIn(url)) !== null, 'The copy does not begin.');
  await postgres.administer(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${isMove(url)}`,
  );
  const { code, complaint } = await copied;
  expect(code).toBe(0);
  expect(complaint).toContain('The target cannot be used now, and is tried again');
  expect((await runMove(directory, ['--to', url, '--finish'])).code).toBe(0);
  expect(await contentsOfTarget(url)).toEqual(contentsOfSource(directory));
});

const isMove = (url: string): string =>
  `application_name = 'sluice move' AND datname = '${new URL(url).pathname.slice(1)}'`;

async function movesOn(url: string): Promise<number> {
  const [row] = await postgres.administer<{ n: number }>(
    url,
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${isMove(url)}`,
  );
  return row?.n ?? 0;
}
