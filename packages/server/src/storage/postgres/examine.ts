import pg from 'pg';
import { KEY_CHECK_SETTING } from '../../core/key-check.ts';
import { bad, type Finding, good, judgeKey } from '../finding.ts';

const CONNECT_TIMEOUT_MS = 5_000;

export async function examinePostgres(options: { url: string; keyCheck: string | null }): Promise<Finding[]> {
  const client = new pg.Client({
    connectionString: options.url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return [
      good('storage', `PostgreSQL ${await show(client, 'server_version')} answers`),
      judgeFlushing(await show(client, 'fsync')),
      judgeKey(await keptKeyCheck(client), options.keyCheck),
    ];
  } catch (error) {
    return [bad('storage', `PostgreSQL does not answer: ${reasonOf(error)}`)];
  } finally {
    await client.end().catch(() => {});
  }
}

/** Sluice asks for `synchronous_commit` itself with every append, but only the server can promise the flush. */
function judgeFlushing(fsync: string): Finding {
  return fsync === 'on'
    ? good('durability', 'fsync is on: a commit is on disk before it is answered')
    : bad('durability', `fsync is ${fsync}: a commit may be lost, so Sluice will not start`);
}

async function show(client: pg.Client, name: string): Promise<string> {
  const { rows } = await client.query<{ value: string }>('SELECT current_setting($1) AS value', [name]);
  return rows[0]?.value ?? '';
}

async function keptKeyCheck(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('settings') IS NOT NULL AS found`,
  );
  if (!rows[0]?.found) return null;
  const kept = await client.query<{ value: string }>('SELECT value FROM settings WHERE name = $1', [
    KEY_CHECK_SETTING,
  ]);
  return kept.rows[0]?.value ?? null;
}

/** A host with several addresses fails with one error for each, and none of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
