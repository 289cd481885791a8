import pg from 'pg';
import { KEY_CHECK_SETTING } from '../../core/secrets/key-check.ts';
import { bad, type Finding, good, judgeKey, judgeSchema } from '../finding.ts';
import { readConnection } from './connection.ts';
import { reasonOf } from './failure.ts';
import { prepareSession } from './prepare-session.ts';

const STUCK_AFTER_MS = 5_000;

/** What `sluice doctor` finds out about a PostgreSQL database. */
export async function examinePostgres(options: {
  url: string;
  keyChecks: readonly string[];
}): Promise<Finding[]> {
  const client = new pg.Client({
    ...readConnection(options.url),
    connectionTimeoutMillis: STUCK_AFTER_MS,
    query_timeout: STUCK_AFTER_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return [
      good('storage', `PostgreSQL ${await answerOf(client, `current_setting('server_version')`)} answers`),
      await judgeDurability(client),
      ...(await examineTables(client, options.keyChecks)),
    ];
  } catch (error) {
    return [bad('storage', `PostgreSQL does not answer: ${reasonOf(error)}`)];
  } finally {
    await client.end().catch(() => {});
  }
}

/** Prepares the connection as the service does, which refuses a server that would not keep what it is given. */
async function judgeDurability(client: pg.Client): Promise<Finding> {
  try {
    await prepareSession(client, STUCK_AFTER_MS);
    return good(
      'durability',
      'fsync and synchronous_commit are on: a commit is on disk before it is answered',
    );
  } catch (error) {
    return bad('durability', reasonOf(error));
  }
}

async function examineTables(client: pg.Client, keyChecks: readonly string[]): Promise<Finding[]> {
  if ((await answerOf(client, `to_regclass('schema_version')`)) === null) {
    return [good('schema', 'the database is empty; the first start fills it')];
  }
  const version = await answerOf(client, 'count(*) FROM schema_version');
  const { rows } = await client.query<{ value: string }>('SELECT value FROM settings WHERE name = $1', [
    KEY_CHECK_SETTING,
  ]);
  return [judgeSchema(Number(version)), judgeKey(rows[0]?.value ?? null, keyChecks)];
}

async function answerOf(client: pg.Client, expression: string): Promise<string | null> {
  const { rows } = await client.query<[string | null]>({ text: `SELECT ${expression}`, rowMode: 'array' });
  return rows[0]?.[0] ?? null;
}
