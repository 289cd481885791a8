import { Socket } from 'node:net';
import pg from 'pg';
import { jittered } from '../../core/work/backoff.ts';
import { type Connection, hostAndPort } from './connection.ts';
import { reasonOf } from './failure.ts';
import { firstOf, NoneOf } from './first-of.ts';
import { NotPrimary, prepareSession, type SessionDemands, UnusableDatabase } from './prepare-session.ts';
import { TooFewReplicas } from './replicas.ts';

/**
 * The one server that is written to, of all hosts that the URL names. Every connection is made here: to the host that
 * was the primary last, and where that is gone to whichever of the others has become it. Once a connection finds
 * another primary, those to the former one are cut, in use or not: it may be gone without a word, and whoever waits
 * for it would wait for long. While there is no primary, one connection at a time is tried, with pauses between.
 */
export interface Primary {
  /** A connection, ready for use; whoever asked for it ends it. */
  connect(use: ConnectionUse): Promise<pg.Client>;
  /** Where connections go, as the URL names it. */
  address(): string;
  /** False once it was cut off, which its next use would find out. */
  isUsable(client: pg.Client): boolean;
  /** The server of this connection did not do as a primary does: the others are asked before it. */
  doubt(client: pg.Client): void;
  /** Nothing that was found out about the server holds any more. */
  cutAll(): void;
  /**
   * This connection is new, and one of before fell silent. The others may be as dead: none is used again, and what is
   * under way on them has a moment to end.
   */
  replaceAllBut(client: pg.Client): void;
}

interface ConnectionUse extends Pick<SessionDemands, 'statementMs' | 'byIndex'> {
  readonly name: string;
  /** How long to wait for an answer; longer than the server itself lets a statement run, since it says why. */
  readonly answerMs?: number;
}

/** Behind one address there may be another server than before. */
interface Server {
  readonly host: Connection;
  readonly startedAt: string;
}

interface Found {
  readonly client: pg.Client;
  readonly socket: Socket;
  readonly server: Server;
}

const isSame = (one: Server, other: Server): boolean =>
  one.host === other.host && one.startedAt === other.startedAt;

/** A server that is there answers in milliseconds; over a bad line and on a busy machine it may take seconds. */
export const CONNECT_MS = 5_000;
const FIRST_PAUSE_MS = 50;
/** With what jitter adds a little less than a second: so long a primary may be there without being noticed. */
const LONGEST_PAUSE_MS = 800;

/** For what is under way on connections that may be dead. */
const LAST_ANSWERS_MS = 2_000;

/** Whole numbers of 64 bits are times, counts and flags, all of them far below 2^53. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

export function createPrimary(
  hosts: readonly Connection[],
  { replicas, connectMs = CONNECT_MS }: { readonly replicas: number; readonly connectMs?: number },
  { now = () => performance.now(), random = Math.random } = {},
): Primary {
  const isOnlyHost = hosts.length === 1;
  const open = new Map<pg.Client, Omit<Found, 'client'>>();
  /** In the order in which they are asked. */
  let order = hosts;
  let last: Server | null = null;
  /** Each promotion begins a new timeline: a server on an earlier one was the primary once, and must not be again. */
  let timeline = '';
  let failures = 0;
  let nextTryAt = Number.NEGATIVE_INFINITY;
  let lastFailure: unknown;
  let trial: Promise<unknown> | null = null;

  const askFirst = (host: Connection) => {
    order = [host, ...order.filter(other => other !== host)];
  };
  const askLast = (host: Connection) => {
    order = [...order.filter(other => other !== host), host];
  };

  function cutOff(client: pg.Client): void {
    const socket = open.get(client)?.socket;
    open.delete(client);
    if (socket !== undefined) cut({ client, socket });
  }

  async function connectTo(host: Connection, use: ConnectionUse): Promise<Found> {
    const { statementMs, byIndex = false } = use;
    const socket = new Socket();
    const client = new pg.Client({
      ...host,
      stream: () => socket,
      types,
      application_name: use.name,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      ...(use.answerMs === undefined ? {} : { query_timeout: use.answerMs }),
    });
    client.on('error', () => {});
    // A server that takes connections and then says nothing must not hold anybody up, either.
    const { promise: overdue, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('it does not answer')), connectMs);
    try {
      const startedAt = await Promise.race([overdue, signIn()]);
      return { client, socket, server: { host, startedAt } };
    } catch (error) {
      cut({ client, socket });
      throw error;
    } finally {
      clearTimeout(timer);
    }

    async function signIn(): Promise<string> {
      await client.connect();
      const startedAt = await prepareSession(client, { statementMs, byIndex, replicas, isOnlyHost });
      if (!isOnlyHost) await refuseFormer(client);
      return startedAt;
    }
  }

  async function refuseFormer(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ timeline: string }>(
      'SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline',
    );
    const found = rows[0]?.timeline ?? '';
    if (found < timeline) throw new NotPrimary('it was the primary before another was promoted');
    timeline = found;
  }

  function keep({ client, socket, server }: Found): pg.Client {
    open.set(client, { socket, server });
    client.once('end', () => open.delete(client));
    failures = 0;
    askFirst(server.host);
    if (last === null || !isSame(server, last)) {
      last = server;
      for (const [other, at] of open) if (!isSame(server, at.server)) cutOff(other);
    }
    return client;
  }

  async function dial(use: ConnectionUse): Promise<pg.Client> {
    const beganAt = now();
    try {
      return keep(await firstOf(order, host => connectTo(host, use), cut));
    } catch (error) {
      // Those that were tried side by side fail side by side, and are one failure.
      if (beganAt >= nextTryAt) {
        const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++);
        nextTryAt = now() + jittered(pause, random);
      }
      lastFailure = whyNone(hosts, error);
      throw lastFailure;
    }
  }

  return {
    async connect(use) {
      // Whoever comes while one is tried goes on when that one has been answered.
      if (trial !== null) await trial;
      else if (now() < nextTryAt && failures > 0) throw lastFailure;
      const dialled = dial(use);
      if (failures > 0) {
        trial ??= dialled.finally(() => {
          trial = null;
        });
        trial.catch(() => {});
      }
      return dialled;
    },
    address: () => (last === null ? hosts : [last.host]).map(hostAndPort).join(', '),
    isUsable: client => open.has(client),
    doubt(client) {
      const server = open.get(client)?.server;
      if (server !== undefined) askLast(server.host);
    },
    cutAll() {
      for (const client of open.keys()) cutOff(client);
    },
    replaceAllBut(client) {
      const suspects = [...open].flatMap(([other, { socket }]) =>
        other === client ? [] : { client: other, socket },
      );
      for (const suspect of suspects) open.delete(suspect.client);
      setTimeout(() => suspects.forEach(cut), LAST_ANSWERS_MS).unref();
    },
  };
}

/** Ends a connection at once, whatever is under way on it. A goodbye might never be answered. */
function cut({ client, socket }: Pick<Found, 'client' | 'socket'>): void {
  void client.end().catch(() => {});
  socket.destroy();
}

/** What the operator has to know of all that went wrong. */
function whyNone(hosts: readonly Connection[], error: unknown): unknown {
  const failures = error instanceof NoneOf ? error.failures : [error];
  const telling = failures.find(
    failure => failure instanceof UnusableDatabase || failure instanceof TooFewReplicas,
  );
  return telling ?? new NoPrimary(hosts, failures);
}

/** SQLSTATEs that time does not heal: wrong password, no such role, no such database. */
const refused = /^(28|3D)/;

export class NoPrimary extends Error {
  /** No host would answer otherwise a little later. */
  readonly isHopeless: boolean;

  constructor(hosts: readonly Connection[], failures: readonly unknown[]) {
    const names = hosts.map(hostAndPort);
    const reasons = failures.map(reasonOf);
    const all = names.map((name, i) => `${name}: ${reasons[i]}`).join('; ');
    super(`PostgreSQL at ${names.join(', ')} cannot be used: ${hosts.length === 1 ? reasons[0] : all}.`);
    this.isHopeless = failures.every(
      failure => failure instanceof pg.DatabaseError && refused.test(failure.code ?? ''),
    );
  }
}
