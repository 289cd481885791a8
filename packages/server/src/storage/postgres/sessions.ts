import pg from 'pg';
import type { Connection } from './connection.ts';
import { notReached, toStorageError } from './failure.ts';
import { planByIndex, prepareSession, UnusableDatabase } from './prepare-session.ts';

/** A pool of a few shared connections; what goes wrong with them is thrown as an error of storage. */
export interface SessionPool {
  acquire(): Promise<Session>;
  /** One transaction, rolled back unless `work` resolves. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Lets what is running end within a grace, then cuts it off. */
  close(): Promise<void>;
}

export interface Session {
  query<Row extends pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<Row>>;
  release(): void;
}

/** Whole numbers of 64 bits are times, counts and flags, all of them far below 2^53. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

const CLOSING_GRACE_MS = 2_000;

export function openSessionPool(
  connection: Connection,
  options: {
    most: number;
    /** How long one statement may take before it is given up. */
    statementMs: number;
    /** For the few statements that run over and over and find every row by an index: parsed once, planned so. */
    byIndex?: boolean;
    onFatal(reason: string): void;
  },
): SessionPool {
  const pool = new pg.Pool({
    ...connection,
    types,
    max: options.most,
    application_name: 'sluice',
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    // The server gives up first and says so; this is for a server that does not answer at all.
    query_timeout: options.statementMs + 2_000,
    async onConnect(client) {
      await prepareSession(client, options.statementMs);
      if (options.byIndex) await planByIndex(client);
    },
  });
  const names = new Map<string, string>();
  const named = (text: string): { name?: string; text: string } => {
    if (!options.byIndex) return { text };
    const name = names.get(text) ?? `s${names.size}`;
    names.set(text, name);
    return { name, text };
  };
  const inUse = new Set<pg.PoolClient>();
  // An idle connection that breaks leaves the pool by itself; the next query opens another.
  pool.on('error', () => {});

  async function acquire(): Promise<Session> {
    const client = await pool.connect().catch((error: unknown) => {
      if (error instanceof UnusableDatabase) options.onFatal(error.message);
      throw notReached();
    });
    inUse.add(client);
    let broken = false;
    return {
      async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) {
        try {
          return await client.query<Row>({ ...named(text), values: [...values] });
        } catch (error) {
          const thrown = toStorageError(error);
          broken ||= thrown !== error;
          throw thrown;
        }
      },
      release() {
        inUse.delete(client);
        client.release(broken);
      },
    };
  }

  return {
    acquire,
    async transaction(work) {
      const session = await acquire();
      try {
        await session.query('BEGIN');
        const result = await work(session);
        await session.query('COMMIT');
        return result;
      } catch (error) {
        // Fails too when the connection is gone, which rolls back as well.
        await session.query('ROLLBACK').catch(() => {});
        throw error;
      } finally {
        session.release();
      }
    },
    async close() {
      const cut = setTimeout(() => {
        for (const client of inUse) void client.end();
      }, CLOSING_GRACE_MS);
      await pool.end();
      clearTimeout(cut);
    },
  };
}
