import type { ClientBase } from 'pg';

/** It answers, but must not be used: it would lose something, or belongs to a newer Sluice. One line says why. */
export class UnusableDatabase extends Error {}

/** A node that stops in the middle of a transaction must not keep its locks from the others for longer. */
const IDLE_IN_TRANSACTION_MS = 15_000;

/**
 * Every connection, before its first use: a commit is answered only when it is on disk, whatever the server's,
 * the role's or the database's own defaults say (waiting for replicas too is more, and stays), and a statement
 * that had to wait for another transaction sees what that one did.
 */
export async function prepareSession(client: ClientBase, statementMs: number): Promise<void> {
  // While it is in use nobody else listens; its query reports the failure.
  client.on('error', () => {});
  const { rows } = await client.query<{ fsync: string; encoding: string }>(
    `SELECT current_setting('fsync') AS fsync, current_setting('server_encoding') AS encoding,
       set_config('synchronous_commit', CASE current_setting('synchronous_commit')
         WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('statement_timeout', $1, false),
       set_config('idle_in_transaction_session_timeout', $2, false)`,
    [String(statementMs), String(IDLE_IN_TRANSACTION_MS)],
  );
  if (rows[0]?.fsync !== 'on') {
    throw new UnusableDatabase(
      'PostgreSQL runs with fsync off, so it could lose what Sluice has acknowledged. Set fsync = on and start again.',
    );
  }
  if (rows[0].encoding !== 'UTF8') {
    throw new UnusableDatabase(
      `The database is encoded in ${rows[0].encoding} and cannot hold every text. Make one with ENCODING 'UTF8'.`,
    );
  }
}

/**
 * For claims and settlements. Their tables grow from nothing to millions of rows between two looks of the server at
 * its statistics, by which it would rather read all of them than look up a few: a claim of 256 events took 370 ms.
 * Planned again each time, since a plan that was made while a table was empty holds on for as long.
 */
export async function planByIndex(client: ClientBase): Promise<void> {
  await client.query(
    `SELECT set_config(name, 'off', false), set_config('plan_cache_mode', 'force_custom_plan', false)
     FROM unnest('{enable_seqscan,enable_bitmapscan,enable_hashjoin,enable_mergejoin,jit}'::text[]) AS name`,
  );
}
