import pg from 'pg';
import { KEY_CHECK_SETTING } from '../../core/secrets/key-check.ts';
import { bad, type Finding, good, judgeKey, judgeSchema } from '../finding.ts';
import { type Connection, hostAndPort, readConnections } from './connection.ts';
import { reasonOf } from './failure.ts';
import { readSchemaVersion } from './migrate.ts';
import { UnusableDatabase } from './prepare-session.ts';
import { createPrimary } from './primary.ts';
import { standbysWaitedFor, TooFewReplicas } from './replicas.ts';
import { hasUnfinishedMove, UNFINISHED_MOVE } from './unfinished-move.ts';

const STUCK_AFTER_MS = 5_000;

/** What `sluice doctor` finds out about a PostgreSQL database. */
export async function examinePostgres(options: {
  url: string;
  replicas?: number;
  keyChecks: readonly string[];
}): Promise<Finding[]> {
  const hosts = readConnections(options.url);
  const others = hosts.length === 1 ? [] : await Promise.all(hosts.map(examineHost));
  const primary = createPrimary(hosts, { replicas: options.replicas ?? 0 });
  const client = await primary
    .connect({ name: 'sluice doctor', statementMs: STUCK_AFTER_MS, answerMs: STUCK_AFTER_MS })
    .catch((error: unknown) => error);
  if (!(client instanceof pg.Client)) return [...others, judgeFailure(client)];
  try {
    return [
      ...others,
      good('storage', `PostgreSQL ${await answerOf(client, `current_setting('server_version')`)} answers`),
      judgeDurability(await answerOf(client, `current_setting('synchronous_standby_names')`)),
      ...(await examineTables(client, options.keyChecks)),
    ];
  } catch (error) {
    return [...others, bad('storage', `PostgreSQL does not answer: ${reasonOf(error)}`)];
  } finally {
    await client.end().catch(() => {});
  }
}

/** What each of several hosts is: a standby that is away is a promise that the next fault breaks. */
async function examineHost(host: Connection): Promise<Finding> {
  const client = new pg.Client({
    ...host,
    application_name: 'sluice doctor',
    connectionTimeoutMillis: STUCK_AFTER_MS,
    query_timeout: STUCK_AFTER_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const isStandby = await answerOf(client, 'pg_is_in_recovery()::text');
    return good('host', `${hostAndPort(host)} is ${isStandby === 'true' ? 'a standby' : 'the primary'}`);
  } catch (error) {
    return bad('host', `${hostAndPort(host)} does not answer: ${reasonOf(error)}`);
  } finally {
    void client.end().catch(() => {});
  }
}

/** The connection is prepared as the service does it, which refuses a server that would not keep what it is given. */
function judgeFailure(error: unknown): Finding {
  return error instanceof UnusableDatabase || error instanceof TooFewReplicas
    ? bad('durability', reasonOf(error))
    : bad('storage', `PostgreSQL does not answer: ${reasonOf(error)}`);
}

function judgeDurability(standbyNames: string | null): Finding {
  const standbys = standbysWaitedFor(standbyNames ?? '');
  const where =
    standbys === 0 ? 'on disk' : `on disk, on ${standbys} standby${standbys === 1 ? '' : 's'} too,`;
  return good(
    'durability',
    `fsync and synchronous_commit are on: a commit is ${where} before it is answered`,
  );
}

async function examineTables(client: pg.Client, keyChecks: readonly string[]): Promise<Finding[]> {
  if ((await answerOf(client, `to_regclass('schema_version')`)) === null) {
    return [good('schema', 'the database is empty; the first start fills it')];
  }
  if (await hasUnfinishedMove(client)) return [bad('move', UNFINISHED_MOVE)];
  const { found, isUnderstood } = await readSchemaVersion(client);
  const { rows } = await client.query<{ value: string }>('SELECT value FROM settings WHERE name = $1', [
    KEY_CHECK_SETTING,
  ]);
  return [judgeSchema(found, { isUnderstood, isShared: true }), judgeKey(rows[0]?.value ?? null, keyChecks)];
}

async function answerOf(client: pg.Client, expression: string): Promise<string | null> {
  const { rows } = await client.query<[string | null]>({ text: `SELECT ${expression}`, rowMode: 'array' });
  return rows[0]?.[0] ?? null;
}
