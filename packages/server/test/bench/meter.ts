import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from '../support/postgres.ts';
import type { MeasuredSluice } from './servers.ts';
import { type ProcessReading, readProcess, readStat, threadsSpent } from './threads.ts';

/** What a service spends on the events that it takes: CPU time by thread, bytes written, and commits. */
export interface Spent {
  readonly events: number;
  readonly cpuMs: number;
  readonly byThread: Readonly<Record<string, number>>;
  /** SQLite: by the writer, to the WAL and at checkpoints. PostgreSQL: of the WAL. */
  readonly writtenBytes: number;
  readonly commits: number;
  /** CPU time of every process of the database server; null where there is none. */
  readonly databaseMs: number | null;
  /** PostgreSQL's own count, which has those that only read as well. */
  readonly transactions: number | null;
}

export interface Meter {
  /** Answers what was spent since, given how many events it was spent on. */
  start(): Promise<(events: number) => Promise<Spent>>;
}

export function meterOnSqlite({ pid, directory }: MeasuredSluice): Meter {
  const read = () => ({ process: readProcess(pid), commits: countCommits(directory) });
  return {
    async start() {
      const before = read();
      return async events => {
        const after = read();
        const { cpuMs, byThread, writtenBytes } = threadsSpent(before.process, after.process);
        return {
          events,
          cpuMs,
          byThread,
          writtenBytes: writtenBytes ?? 0,
          // It begins again at 2³².
          commits: (after.commits - before.commits) >>> 0,
          databaseMs: null,
          transactions: null,
        };
      };
    },
  };
}

/** `iChange` in the header of the WAL's index, which every commit raises (https://www.sqlite.org/walformat.html). */
const COMMITS_AT = 8;

function countCommits(directory: string): number {
  const file = openSync(join(directory, 'sluice.db-shm'), 'r');
  try {
    const counter = new Uint32Array(1);
    readSync(file, counter, 0, 4, COMMITS_AT);
    return counter[0] ?? 0;
  } finally {
    closeSync(file);
  }
}

interface ServerReading {
  readonly process: ProcessReading;
  readonly databaseMs: number;
  readonly bytes: number;
  readonly commits: number;
  readonly transactions: number;
}

export function meterOnPostgres(sluice: MeasuredSluice, postgres: PostgresServer, database: string): Meter {
  async function read(): Promise<ServerReading> {
    // Only what writes is given a transaction id.
    const [row] = await postgres.administer<Record<'bytes' | 'commits' | 'transactions' | 'backend', number>>(
      database,
      `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes,
        pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS commits,
        (SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = current_database()) AS transactions,
        (SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer') AS backend`,
    );
    if (!row) throw new Error('PostgreSQL did not say what it has written.');
    const { backend, ...counted } = row;
    return { ...counted, process: readProcess(sluice.pid), databaseMs: familyMs(backend) };
  }
  return {
    async start() {
      const before = await read();
      return async events => {
        const after = await read();
        const { cpuMs, byThread } = threadsSpent(before.process, after.process);
        return {
          events,
          cpuMs,
          byThread,
          writtenBytes: after.bytes - before.bytes,
          commits: after.commits - before.commits,
          databaseMs: after.databaseMs - before.databaseMs,
          transactions: after.transactions - before.transactions,
        };
      };
    },
  };
}

/** CPU time of a process's parent and of all children of that one, those that have ended included. */
function familyMs(member: number): number {
  const { parent } = readStat(`/proc/${member}`);
  const { cpuMs, endedMs } = readStat(`/proc/${parent}`);
  let total = cpuMs + endedMs;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readStat(`/proc/${entry}`);
      if (stat.parent === parent) total += stat.cpuMs;
    } catch {
      // It has just ended.
    }
  }
  return total;
}
