import { type Kysely, sql } from 'kysely';
import type { Replication, Standby } from '../../core/stores/engine.ts';
import type { Schema } from '../schema.ts';
import { standbysWaitedFor } from './replicas.ts';

/**
 * What the primary says of those that follow it. How each of them does is shown to roles that may read all statistics;
 * to any other PostgreSQL shows that they are there and nothing more, and nothing more is made of it here.
 */
export async function readReplication(db: Kysely<Schema>, address: () => string): Promise<Replication> {
  const { rows } = await sql<{ version: string; role: string; names: string; mayLook: boolean }>`
    SELECT current_setting('server_version') AS version, current_user::text AS role,
      current_setting('synchronous_standby_names') AS names,
      pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') AS "mayLook"`.execute(db);
  const [primary] = rows;
  if (primary === undefined) throw new Error('PostgreSQL does not say what it is.');
  const { rows: connected } = await sql<Standby>`
    SELECT coalesce(application_name, '') AS name, host(client_addr) AS address, coalesce(state, '') AS state,
      coalesce(sync_state IN ('sync', 'quorum'), false) AS "isInQuorum",
      pg_wal_lsn_diff(pg_current_wal_flush_lsn(), flush_lsn)::float8 AS "behindBytes",
      (extract(epoch FROM replay_lag) * 1000)::float8 AS "behindMs"
    FROM pg_stat_replication ORDER BY 1, 2`.execute(db);
  const { version, role, names, mayLook } = primary;
  return {
    primary: address(),
    version,
    role,
    waitsFor: standbysWaitedFor(names),
    connected: connected.length,
    standbys: mayLook ? connected : null,
  };
}
