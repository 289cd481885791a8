import pg from 'pg';
import { NoLongerWanted, type OutgoingFailure } from '../../core/http/outgoing.ts';
import { beforeDeadline } from '../guarded-client/deadline.ts';
import { networkFailure, timeoutFailure } from '../guarded-client/failure.ts';
import { quoted } from '../rendering/text.ts';
import { CheckedClient } from './checked-connection.ts';
import { NotUnderstood } from './frames.ts';

/** A database and where it is at present: addresses that were checked, and the name its certificate must be for. */
export interface LocatedDatabase {
  /** Tells connections of one destination from those of all others. */
  readonly key: string;
  readonly addresses: readonly string[];
  readonly serverName: string | null;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly tls: boolean;
  readonly ca: string | undefined;
}

export type Used<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** While a connection was waited for it was withdrawn, and nothing was sent. */
  | { readonly kind: 'unwanted' }
  /** `wasReached`: it failed over a connection that had come about. */
  | { readonly kind: 'failed'; readonly failure: OutgoingFailure; readonly wasReached: boolean };

/** Connections to databases: a few to each, kept while they are used. Where its address has changed, they are let go. */
interface Pools {
  /** Never rejects. Work that is not over in time loses its connection. */
  use<T>(database: LocatedDatabase, timeoutMs: number, work: Work<T>): Promise<Used<T>>;
  letGo(key: string): void;
}

/** `hasWaited`: the connection was not at hand. Throws `NoLongerWanted` where it finds itself withdrawn. */
type Work<T> = (client: pg.PoolClient, hasWaited: boolean) => Promise<T>;

/** Few, since a database has few to give and each delivery needs one for a moment only. */
const MOST_CONNECTIONS = 5;
const IDLE_MS = 30_000;
/** A connection that does not come about gives up its place among the few, so that the next can try. */
const LONGEST_CONNECT_MS = 20_000;

export function createPools(): Pools {
  const pools = new Map<string, Map<string, pg.Pool>>();

  function poolsOf(database: LocatedDatabase): pg.Pool[] {
    const known = pools.get(database.key) ?? new Map<string, pg.Pool>();
    pools.set(database.key, known);
    for (const [address, pool] of known) {
      if (database.addresses.includes(address)) continue;
      known.delete(address);
      void pool.end();
    }
    return database.addresses.map(address => {
      const pool = known.get(address) ?? openPool(database, address);
      known.set(address, pool);
      return pool;
    });
  }

  return {
    async use(database, timeoutMs, work) {
      const signal = AbortSignal.timeout(timeoutMs);
      let wasReached = false;
      try {
        const databasePools = poolsOf(database);
        const hasWaited = databasePools[0]?.idleCount === 0;
        const client = await connectToFirst(databasePools, signal);
        wasReached = true;
        return { kind: 'done', value: await workWith(client, work, hasWaited, signal) };
      } catch (error) {
        if (error instanceof NoLongerWanted) return { kind: 'unwanted' };
        return { kind: 'failed', failure: signal.aborted ? timeoutFailure : describe(error), wasReached };
      }
    },
    letGo(key) {
      for (const pool of pools.get(key)?.values() ?? []) void pool.end();
      pools.delete(key);
    },
  };
}

function openPool({ serverName, ca, ...database }: LocatedDatabase, address: string): pg.Pool {
  const pool = new pg.Pool({
    Client: CheckedClient,
    host: address,
    port: database.port,
    user: database.user,
    // As a function: an empty text would make the library look into the environment and the home directory.
    password: () => database.password,
    database: database.database,
    ssl: database.tls ? tlsOptions(serverName, ca) : false,
    application_name: 'sluice',
    max: MOST_CONNECTIONS,
    idleTimeoutMillis: IDLE_MS,
    connectionTimeoutMillis: LONGEST_CONNECT_MS,
    allowExitOnIdle: true,
    pipeline: true,
    types: catalogueTypes,
  });
  // An idle connection that breaks has nobody to report to; the next use makes another.
  pool.on('error', () => {});
  return pool;
}

/** Of an index: 32 columns, each with a name of 63 bytes. */
const MOST_LIST_LENGTH = 16 * 1024;
const TEXT_LIST: number = 1009;

/** What the catalogue's answers are of, and nothing else: a server may call anything a date, or a list within a list. */
const catalogueTypes: pg.CustomTypesConfig = {
  getTypeParser(oid: number) {
    if (oid === pg.types.builtins.BOOL) return (text: string) => text === 't';
    if (oid !== TEXT_LIST) return (text: string) => text;
    const parse = pg.types.getTypeParser(oid);
    return (text: string) => {
      if (text.length > MOST_LIST_LENGTH) throw new NotUnderstood('it sent a list that is too long');
      return parse(text);
    };
  },
};

const tlsOptions = (serverName: string | null, ca: string | undefined) => ({
  rejectUnauthorized: true,
  ...(serverName === null ? {} : { servername: serverName }),
  ...(ca === undefined ? {} : { ca }),
});

async function connectToFirst(pools: readonly pg.Pool[], signal: AbortSignal): Promise<pg.PoolClient> {
  let refusal: unknown;
  for (const pool of pools) {
    const connecting = pool.connect();
    try {
      return await beforeDeadline(connecting, signal);
    } catch (error) {
      // A connection that comes about too late goes back to where others may use it.
      connecting.then(client => client.release()).catch(() => {});
      if (signal.aborted || networkFailure(error)?.code !== 'connection_refused') throw error;
      refusal = error;
    }
  }
  throw refusal;
}

async function workWith<T>(
  client: pg.PoolClient,
  work: Work<T>,
  hasWaited: boolean,
  signal: AbortSignal,
): Promise<T> {
  // A connection that breaks under the work is reported to the work; without a listener it would end the process.
  const ignore = () => {};
  client.on('error', ignore);
  try {
    const value = await beforeDeadline(work(client, hasWaited), signal);
    client.release();
    return value;
  } catch (error) {
    const isUsable =
      !signal.aborted && (error instanceof pg.DatabaseError || error instanceof NoLongerWanted);
    client.release(!isUsable);
    throw error;
  } finally {
    client.off('error', ignore);
  }
}

/** SQLSTATEs, by class: https://www.postgresql.org/docs/current/errcodes-appendix.html. */
function describe(error: unknown): OutgoingFailure {
  if (error instanceof pg.DatabaseError) {
    const code = /^[0-9A-Z]{5}$/.exec(error.code ?? '')?.[0] ?? '';
    const message = quoted(error.message);
    if (code === '57014') return timeoutFailure;
    if (code.startsWith('57P') || code.startsWith('08')) {
      return { code: 'connection_reset', message: `The database ended the connection: ${message}.` };
    }
    return { code: 'rejected_by_destination', message: `The database refused it (${code}): ${message}.` };
  }
  if (error instanceof NotUnderstood) {
    return { code: 'bad_response', message: `The database was not understood: ${error.message}.` };
  }
  const network = networkFailure(error);
  if (network) return network;
  const message = error instanceof Error ? error.message : '';
  if (/does not support SSL|SSL connection/.test(message)) {
    return {
      code: 'tls_invalid',
      message:
        'The database does not offer TLS. To connect without it, add sslmode=disable to the connection string.',
    };
  }
  if (/timeout/i.test(message)) return timeoutFailure;
  return { code: 'connection_reset', message: 'The connection to the database was cut.' };
}
