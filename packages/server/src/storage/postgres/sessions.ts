import type pg from 'pg';
import { Problem } from '../../core/errors.ts';
import { isDoubtful, notAvailable, notReached, toStorageError } from './failure.ts';
import { createPool } from './pool.ts';
import { UnusableDatabase } from './prepare-session.ts';
import type { Primary } from './primary.ts';
import { standbysWaitedFor, TooFewReplicas } from './replicas.ts';

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
  /**
   * After a commit that somebody relies on: throws where the server has ceased to wait for as many standbys as are
   * required, since it then also lets go what was waiting for them.
   */
  confirm(): Promise<void>;
  release(): void;
}

/** A plan that was made while a table was empty would hold on until the server looks at its statistics again. */
const PLANS_HOLD_MS = 1_000;
/** The server gives up first and says so; so much later it is not waited for any more. */
const SILENCE_MS = 2_000;

/** The one place of the server's code that says so, in whatever language its messages are. */
const WAITS_FOR_REPLICAS = 'SyncRepWaitForLSN';

export function openSessionPool(
  primary: Primary,
  options: {
    most: number;
    /** How long one statement may take before it is given up. */
    statementMs: number;
    /** How long somebody waits for a connection while all are in use. */
    waitMs: number;
    /** So many standbys must have what is confirmed. */
    replicas?: number;
    /** All that is done on a connection until it is released must be done within what one statement may take. */
    isOneWait?: boolean;
    /** For the few statements that run over and over and find every row by an index: parsed once, planned so. */
    byIndex?: boolean;
    onFatal(reason: string): void;
  },
): SessionPool {
  const { statementMs, byIndex = false, replicas = 0 } = options;
  const answerMs = statementMs + SILENCE_MS;
  /** Connections on which a commit was answered though the standbys had not confirmed it. */
  const unconfirmed = new WeakSet<pg.Client>();
  const pool = createPool({
    async connect() {
      const client = await primary.connect({ name: 'sluice', statementMs, answerMs, byIndex });
      client.on('notice', ({ routine }) => {
        if (routine === WAITS_FOR_REPLICAS) unconfirmed.add(client);
      });
      return client;
    },
    isUsable: primary.isUsable,
    most: options.most,
    waitMs: options.waitMs,
    overdue: notReached,
  });
  const plannedAt = new WeakMap<pg.Client, number>();
  const names = new Map<string, string>();
  const named = (text: string): { name?: string; text: string } => {
    if (!byIndex) return { text };
    const name = names.get(text) ?? `s${names.size}`;
    names.set(text, name);
    return { name, text };
  };

  async function acquire(): Promise<Session> {
    const until = options.isOneWait ? performance.now() + answerMs : Number.POSITIVE_INFINITY;
    const client = await pool.acquire().catch((error: unknown) => {
      if (error instanceof UnusableDatabase) options.onFatal(error.message);
      throw toConnectError(error);
    });
    let broken = false;
    const session: Session = {
      async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) {
        // Whatever it has under way ends with the connection. To say so, be it by a ROLLBACK, would be to wait again.
        if (broken) throw notAvailable();
        const left = until - performance.now();
        try {
          const answer = await client.query<Row>({
            ...named(text),
            values: [...values],
            ...(left < answerMs ? { query_timeout: Math.max(1, Math.ceil(left)) } : {}),
          });
          if (!unconfirmed.has(client)) return answer;
        } catch (error) {
          const thrown = toStorageError(error);
          broken ||= thrown !== error;
          if (broken && isDoubtful(error)) primary.doubt(client);
          throw thrown;
        }
        broken = true;
        throw notAvailable();
      },
      async confirm() {
        if (replicas === 0) return;
        const { rows } = await session.query<{ names: string }>(
          `SELECT current_setting('synchronous_standby_names') AS names`,
        );
        if (standbysWaitedFor(rows[0]?.names ?? '') >= replicas) return;
        primary.cutAll();
        throw notAvailable();
      },
      release() {
        pool.release(client, broken);
      },
    };
    if (byIndex) await planAgain(client, session);
    return session;
  }

  async function planAgain(client: pg.Client, session: Session): Promise<void> {
    const now = performance.now();
    if (now - (plannedAt.get(client) ?? now - PLANS_HOLD_MS) < PLANS_HOLD_MS) return;
    plannedAt.set(client, now);
    try {
      await session.query('DISCARD PLANS');
    } catch (error) {
      session.release();
      throw error;
    }
  }

  return {
    acquire,
    async transaction(work) {
      const session = await acquire();
      try {
        await session.query('BEGIN');
        const result = await work(session);
        await session.query('COMMIT');
        await session.confirm();
        return result;
      } catch (error) {
        // Fails at once where the connection is given up, which rolls back as well.
        await session.query('ROLLBACK').catch(() => {});
        throw error;
      } finally {
        session.release();
      }
    },
    close: pool.close,
  };
}

/** There was no connection to ask anything on. Only where the operator has to do something is more said. */
const toConnectError = (error: unknown): Problem =>
  error instanceof TooFewReplicas
    ? new Problem('storage_unavailable', {
        message: `${error.message}. Nothing from this request was stored; retry shortly.`,
        retryAfter: 2,
      })
    : notReached();
