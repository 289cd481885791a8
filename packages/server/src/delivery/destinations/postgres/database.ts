import pg from 'pg';
import type { OutgoingFailure } from '../../../core/http/outgoing.ts';
import type { DestinationDeps } from '../../destination.ts';
import { beforeDeadline } from '../../guarded-client/deadline.ts';
import { networkFailure, timeoutFailure } from '../../guarded-client/failure.ts';
import { quoted } from '../../rendering/text.ts';
import type { DatabaseAddress } from './connection-string.ts';

/**
 * Somebody's database: a few connections, kept while they are used, each made to an address that was checked. The
 * name is looked up for every use; where its address has changed, the connections to the old one are let go.
 */
export interface Database {
  /** Never rejects. Work that is not over in time loses its connection. */
  use<T>(timeoutMs: number, work: (client: pg.PoolClient) => Promise<T>): Promise<Used<T>>;
  close(): Promise<void>;
}

export type Used<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly failure: OutgoingFailure };

/** Few, since a database has few to give and each delivery needs one for a moment only. */
const MOST_CONNECTIONS = 5;
const IDLE_MS = 30_000;
/** A connection that does not come about gives up its place among the few, so that the next can try. */
const LONGEST_CONNECT_MS = 20_000;

export function openDatabase(
  address: DatabaseAddress,
  ca: string | undefined,
  deps: Pick<DestinationDeps, 'client' | 'egressAddresses'>,
): Database {
  const pools = new Map<string, pg.Pool>();

  function poolAt(host: string, serverName: string | null): pg.Pool {
    const known = pools.get(host);
    if (known) return known;
    const pool = new pg.Pool({
      host,
      port: address.port,
      user: address.user,
      // As a function: an empty text would make the library look into the environment and the home directory.
      password: () => address.password,
      database: address.database,
      ssl: address.tls ? tlsOptions(serverName, ca) : false,
      application_name: 'sluice',
      max: MOST_CONNECTIONS,
      idleTimeoutMillis: IDLE_MS,
      connectionTimeoutMillis: LONGEST_CONNECT_MS,
      allowExitOnIdle: true,
      pipeline: true,
    });
    // An idle connection that breaks has nobody to report to; the next use makes another.
    pool.on('error', () => {});
    pools.set(host, pool);
    return pool;
  }

  function letGoOfOthers(hosts: readonly string[]): void {
    for (const [host, pool] of pools) {
      if (hosts.includes(host)) continue;
      pools.delete(host);
      void pool.end();
    }
  }

  return {
    async use(timeoutMs, work) {
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), timeoutMs);
      let isConnected = false;
      try {
        const location = await beforeDeadline(
          Promise.resolve(deps.client.locate(address.host)),
          deadline.signal,
        );
        if (location.kind === 'failed') return location;
        letGoOfOthers(location.addresses);
        const client = await connectToFirst(
          location.addresses.map(host => poolAt(host, location.serverName)),
          deadline.signal,
        );
        isConnected = true;
        return { kind: 'done', value: await workWith(client, work, deadline.signal) };
      } catch (error) {
        const failure = deadline.signal.aborted ? timeoutFailure : describe(error);
        return { kind: 'failed', failure: isConnected ? failure : withEgress(failure, deps.egressAddresses) };
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      const all = [...pools.values()];
      pools.clear();
      await Promise.all(all.map(pool => pool.end()));
    },
  };
}

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
  work: (client: pg.PoolClient) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  // A connection that breaks under the work is reported to the work; without a listener it would end the process.
  const ignore = () => {};
  client.on('error', ignore);
  try {
    const value = await beforeDeadline(work(client), signal);
    client.release();
    return value;
  } catch (error) {
    const isUsable = !signal.aborted && error instanceof pg.DatabaseError;
    client.release(!isUsable);
    throw error;
  } finally {
    client.off('error', ignore);
  }
}

/** SQLSTATEs, by class: https://www.postgresql.org/docs/current/errcodes-appendix.html. */
function describe(error: unknown): OutgoingFailure {
  if (error instanceof pg.DatabaseError) {
    const { code = '' } = error;
    const message = quoted(error.message);
    if (code === '57014') return timeoutFailure;
    if (code.startsWith('57P') || code.startsWith('08')) {
      return { code: 'connection_reset', message: `The database ended the connection: ${message}.` };
    }
    return { code: 'rejected_by_destination', message: `The database refused it (${code}): ${message}.` };
  }
  const network = networkFailure(error);
  if (network) return network;
  const message = error instanceof Error ? error.message : '';
  if (/does not support SSL|SSL connection/.test(message)) {
    return { code: 'tls_invalid', message: 'The database does not offer TLS.' };
  }
  if (/timeout/i.test(message)) return timeoutFailure;
  return { code: 'connection_reset', message: 'The connection to the database was cut.' };
}

function withEgress(failure: OutgoingFailure, egressAddresses: readonly string[]): OutgoingFailure {
  if (failure.code !== 'timeout' && failure.code !== 'connection_refused') return failure;
  const from = egressAddresses.length > 0 ? ` Our connections come from ${egressAddresses.join(', ')}.` : '';
  return { ...failure, message: `${failure.message} The database may not allow our addresses.${from}` };
}
