import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import {
  beside,
  initialise,
  isRoot,
  NOBODY,
  reachableBinaries,
  reachableDirectory,
  startGuard,
  untilAccepting,
} from './postgres.ts';
import { until } from './until.ts';

/**
 * Three PostgreSQL servers, each a primary or a standby of whichever is that: commits wait for one of the two others.
 * Nobody watches over them: who is promoted, and who comes back as what, the test decides.
 */
export interface PostgresCluster {
  readonly members: readonly ClusterMember[];
  /** One database on all hosts, in the order of the members. */
  url(database: string): string;
  /** Makes a database on the primary. */
  freshDatabase(): Promise<string>;
  primary(): Promise<ClusterMember>;
  /** Promotes the standby that has received most, as whoever watches over a cluster must; answers which. */
  promote(): Promise<ClusterMember>;
  remove(): Promise<void>;
}

export interface ClusterMember {
  readonly name: string;
  readonly port: number;
  url(database: string): string;
  /** The small disk of this server alone, if it was started with one: a folder. */
  readonly smallDisk: string | null;
  query<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]>;
  /** Everything that it has logged in all its lives. */
  logged(): string;
  /** All of its processes at once, as when the machine loses its power. */
  kill(): Promise<void>;
  /** As what it was, with the data that it had. */
  start(): Promise<void>;
  /** All of its processes stand still: it takes connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Throws away what it has, copies the primary and follows it. */
  follow(primary: ClusterMember): Promise<void>;
}

const NAMES = ['a', 'b', 'c'] as const;

/** With small disks, that is where databases are: each server has its own, in the same place as it sees it. */
export async function startCluster({
  smallDiskMb,
}: {
  readonly smallDiskMb?: number;
} = {}): Promise<PostgresCluster> {
  const disk = smallDiskMb === undefined ? null : join(reachableDirectory(), 'disk');
  const password = randomBytes(12).toString('hex');
  const ports = await Promise.all(NAMES.map(freePort));
  // A standby that starts looks for whichever of them is the primary, again and again.
  const conninfo = (name: string, among: readonly number[] = ports) =>
    `user=sluice password=${password} host=${among.map(() => '127.0.0.1').join()} port=${among.join()} application_name=${name} target_session_attrs=primary`;

  const createMember = async (name: string, port: number): Promise<ClusterMember & { remove(): void }> => {
    const home = reachableDirectory();
    const binaries = await reachableBinaries(home);
    const data = join(home, 'data');
    writeFileSync(join(home, 'password'), password);
    const others = NAMES.filter(other => other !== name).join(', ');
    const url = (database: string) => `postgres://sluice:${password}@127.0.0.1:${port}/${database}`;
    const guard = startGuard(
      home,
      [join(binaries, 'postgres'), '-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'],
      disk === null ? [] : beside(disk, smallDiskMb ?? 0),
    );
    // Nobody but its own processes sees what lies over the folder, so it is looked at through one of them.
    const smallDisk = disk === null ? null : `/proc/${guard.pid}/root${disk}`;
    if (disk !== null)
      await until(
        () => readFileSync(`/proc/${guard.pid}/mountinfo`, 'utf8').includes(` ${disk} `),
        `There is no small disk: ${existsSync(`${disk}.log`) ? readFileSync(`${disk}.log`, 'utf8') : ''}`,
      );

    function configure(): void {
      const settings = {
        unix_socket_directories: '',
        max_connections: 200,
        wal_retrieve_retry_interval: '100ms',
        wal_receiver_timeout: '3s',
        wal_keep_size: '256MB',
        synchronous_standby_names: `ANY 1 (${others})`,
        primary_conninfo: conninfo(name),
      };
      const lines = Object.entries(settings).map(([setting, value]) => `${setting} = '${value}'\n`);
      writeFileSync(join(data, 'postgresql.auto.conf'), lines.join(''));
    }

    /** The first is the one that all others descend from. */
    function pids(): number[] {
      const file = join(data, 'postmaster.pid');
      const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
      const children = `/proc/${pid}/task/${pid}/children`;
      if (pid === 0 || !existsSync(children)) return [];
      return [pid, ...readFileSync(children, 'utf8').trim().split(' ').filter(Boolean).map(Number)];
    }

    const signal = (name: NodeJS.Signals) => {
      for (const pid of pids()) spawnSync('kill', ['-s', name.slice(3), String(pid)]);
    };

    let isFrozen = false;
    return {
      name,
      port,
      url,
      smallDisk,
      async query(statement) {
        if (isFrozen) throw new Error(`${name} stands still.`);
        return ask(url('postgres'), statement);
      },
      logged: () => readFileSync(join(home, 'log'), 'utf8'),
      async kill() {
        const all = pids();
        for (const pid of all) spawnSync('kill', ['-9', String(pid)]);
        await until(() => all.every(pid => !isRunning(pid)), 'It does not die.');
        rmSync(join(data, 'postmaster.pid'), { force: true });
        isFrozen = false;
      },
      async start() {
        if (!existsSync(data)) {
          initialise(binaries, home, data);
          configure();
        }
        guard.stdin.write('start\n');
        await untilAccepting(url('postgres'), home);
      },
      freeze() {
        isFrozen = true;
        signal('SIGSTOP');
      },
      thaw() {
        signal('SIGCONT');
        isFrozen = false;
      },
      async follow(primary) {
        rmSync(data, { recursive: true, force: true });
        if (smallDisk !== null)
          for (const name of readdirSync(smallDisk)) rmSync(join(smallDisk, name), { recursive: true });
        await copyServer(primary, data, smallDisk);
        configure();
        writeFileSync(join(data, 'standby.signal'), '');
        if (isRoot) execFileSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, data]);
        guard.stdin.write('start\n');
        await untilAccepting(url('postgres'), home);
      },
      async remove() {
        // What stands still does not hear that it is to end.
        signal('SIGCONT');
        const gone = once(guard, 'exit');
        guard.stdin.end();
        await gone;
      },
    };
  };

  const members = await Promise.all(NAMES.map((name, i) => createMember(name, ports[i] ?? 0)));
  const [first, ...rest] = members;
  if (first === undefined) throw new Error('There is no cluster without a member.');
  await first.start();
  await Promise.all(rest.map(member => member.follow(first)));
  const isPrimary = async (member: ClusterMember) =>
    member
      .query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby')
      .then(([row]) => row?.standby === false)
      .catch(() => false);

  const cluster: PostgresCluster = {
    members,
    url: database =>
      `postgres://sluice:${password}@${ports.map(port => `127.0.0.1:${port}`).join()}/${database}`,
    async freshDatabase() {
      const name = `sluice_${randomBytes(6).toString('hex')}`;
      await (await cluster.primary()).query(
        `CREATE DATABASE ${name}${disk === null ? '' : ' TABLESPACE small'}`,
      );
      return name;
    },
    async primary() {
      for (const member of members) if (await isPrimary(member)) return member;
      throw new Error('None of them is the primary.');
    },
    async promote() {
      const received = await Promise.all(
        members.map(async member => ({
          member,
          bytes: await member
            .query<{ bytes: number }>(
              `SELECT (greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0')::float8 AS bytes
               WHERE pg_is_in_recovery()`,
            )
            .then(([row]) => row?.bytes ?? -1)
            .catch(() => -1),
        })),
      );
      const best = received.reduce((one, other) => (other.bytes > one.bytes ? other : one));
      if (best.bytes < 0) throw new Error('There is no standby to promote.');
      await best.member.query('SELECT pg_promote(true, 120)');
      // Told where the new primary is, they do not wait for the old one, which may be there and say nothing.
      const followers = received.filter(({ member, bytes }) => bytes >= 0 && member !== best.member);
      for (const { member } of followers) {
        await member.query(
          `ALTER SYSTEM SET primary_conninfo = '${conninfo(member.name, [best.member.port])}'`,
        );
        await member.query('SELECT pg_reload_conf()');
      }
      return best.member;
    },
    async remove() {
      await Promise.all(members.map(member => member.remove()));
    },
  };
  await untilFollowed(first, rest.length);
  if (disk !== null) await first.query(`CREATE TABLESPACE small LOCATION '${disk}'`);
  return cluster;
}

/** Waits until so many standbys stream from it. */
export const untilFollowed = (primary: ClusterMember, standbys: number): Promise<void> =>
  until(async () => {
    const rows = await primary.query(`SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'`);
    return rows.length >= standbys;
  }, `Not all follow ${primary.name}.`);

async function ask<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** A base backup as the manual describes it for those who copy files themselves. */
async function copyServer(from: ClusterMember, to: string, toDisk: string | null): Promise<void> {
  const client = new pg.Client({ connectionString: from.url('postgres') });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('copy', true)`);
    const { rows } = await client.query<{ data: string }>(`SELECT current_setting('data_directory') AS data`);
    const source = rows[0]?.data ?? '';
    mkdirSync(to);
    chmodSync(to, 0o700);
    const without = ['pg_wal/*', 'pg_replslot/*', 'postmaster.*', 'standby.signal', 'backup_label*'];
    const excluded = without.map(name => `--exclude=./${name}`);
    // Files that go while they are copied are not missed: they are made again from what is streamed.
    const copy = 'to=$1; shift; tar -C "$0" -cf - "$@" . | tar -C "$to" -xf -';
    await once(spawn('sh', ['-c', copy, source, to, ...excluded], { stdio: 'ignore' }), 'exit');
    if (from.smallDisk !== null && toDisk !== null)
      await once(spawn('sh', ['-c', copy, from.smallDisk, toDisk], { stdio: 'ignore' }), 'exit');
    const stopped = await client.query<{ label: string }>(
      'SELECT labelfile AS label FROM pg_backup_stop(false)',
    );
    writeFileSync(join(to, 'backup_label'), stopped.rows[0]?.label ?? '');
  } finally {
    await client.end();
  }
}

function isRunning(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  // One that is dead and that nobody has asked about yet is a zombie.
  return existsSync(file) && !/\) Z /.test(readFileSync(file, 'utf8'));
}
