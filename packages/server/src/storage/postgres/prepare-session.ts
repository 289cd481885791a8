import type { ClientBase } from 'pg';
import { requireReplicas } from './replicas.ts';

/** It answers, but must not be used: it would lose something, or belongs to a newer Sluice. One line says why. */
export class UnusableDatabase extends Error {}

/** It answers, and takes no writes: another one is the primary, or this one will be in a while. */
export class NotPrimary extends Error {}

/** A node that stops in the middle of a transaction must not keep its locks from the others for longer. */
const IDLE_IN_TRANSACTION_MS = 15_000;

export interface SessionDemands {
  readonly statementMs: number;
  /** So many standbys have what is committed before that is answered. */
  readonly replicas: number;
  /** There is no other server to go to: one that is set to read only is then better than none, for whoever reads. */
  readonly isOnlyHost: boolean;
  /** For the few statements that run over and over and find every row by an index: parsed once, planned so. */
  readonly byIndex?: boolean;
}

/**
 * Every connection, before its first use: the server is the one that is written to; a commit is answered only when it
 * is on disk, whatever the server's, the role's or the database's own defaults say (waiting for replicas too is more,
 * and stays), and a statement that had to wait for another transaction sees what that one did. Answers what tells this
 * server from another one at the same address: when it was started.
 */
export async function prepareSession(client: ClientBase, demands: SessionDemands): Promise<string> {
  // While it is in use nobody else listens; its query reports the failure.
  client.on('error', () => {});
  const { rows } = await client.query<{
    standby: boolean;
    read_only: string;
    standby_names: string;
    fsync: string;
    encoding: string;
    started_at: string;
  }>(
    `SELECT pg_is_in_recovery() AS standby, current_setting('default_transaction_read_only') AS read_only,
       current_setting('synchronous_standby_names') AS standby_names,
       current_setting('fsync') AS fsync, current_setting('server_encoding') AS encoding,
       extract(epoch FROM pg_postmaster_start_time())::text AS started_at,
       set_config('synchronous_commit', CASE current_setting('synchronous_commit')
         WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('statement_timeout', $1, false),
       set_config('idle_in_transaction_session_timeout', $2, false)`,
    [String(demands.statementMs), String(IDLE_IN_TRANSACTION_MS)],
  );
  const [found] = rows;
  if (found === undefined) throw new NotPrimary('it does not say what it is');
  if (found.standby) throw new NotPrimary('it is a standby');
  if (found.read_only === 'on' && !demands.isOnlyHost) throw new NotPrimary('it is set to read only');
  if (found.fsync !== 'on') {
    throw new UnusableDatabase(
      'PostgreSQL runs with fsync off, so it could lose what Sluice has acknowledged. Set fsync = on and start again.',
    );
  }
  if (found.encoding !== 'UTF8') {
    throw new UnusableDatabase(
      `The database is encoded in ${found.encoding} and cannot hold every text. Make one with ENCODING 'UTF8'.`,
    );
  }
  requireReplicas(found.standby_names, demands.replicas);
  if (demands.byIndex) await planByIndex(client);
  return found.started_at;
}

/**
 * For claims and settlements. Their tables grow from nothing to millions of rows between two looks of the server at
 * its statistics, by which it would rather read all of them than look up a few: a claim of 256 events took 370 ms.
 * Planned once for whatever values come: to plan such a statement takes longer than to run it for a few events.
 */
async function planByIndex(client: ClientBase): Promise<void> {
  await client.query(
    `SELECT set_config(name, 'off', false), set_config('plan_cache_mode', 'force_generic_plan', false)
     FROM unnest('{enable_seqscan,enable_bitmapscan,enable_hashjoin,enable_mergejoin,jit}'::text[]) AS name`,
  );
}
