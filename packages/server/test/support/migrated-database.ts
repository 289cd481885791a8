import { createHash } from 'node:crypto';
import pg from 'pg';
import { migrations } from '../../src/storage/migrations/index.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { createDatabase, type FreshDatabase, sharedServer } from './postgres.ts';

/** Any number that nobody else locks by. */
const MAKING_TEMPLATE = 7_021_944;

let template: Promise<string> | undefined;

/**
 * A database of its own for the caller, with the tables and nothing in them: a copy of one that is made once on a server,
 * which takes a third of the time. For tests of anything but migrations.
 */
export async function migratedDatabase(): Promise<FreshDatabase> {
  const server = await sharedServer();
  template ??= makeTemplate(server);
  return createDatabase(server, await template);
}

/** Named for its schema, so that one that was left on somebody's own server is no older. */
async function makeTemplate(server: string): Promise<string> {
  const schema = createHash('sha256').update(JSON.stringify(migrations)).digest('hex');
  const name = `sluice_template_${schema.slice(0, 12)}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    // Several files of tests run at once.
    await client.query('SELECT pg_advisory_lock($1)', [MAKING_TEMPLATE]);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) {
      const { url } = await createDatabase(server);
      const engine = await openPostgres({
        url,
        onFatal(reason) {
          throw new Error(reason);
        },
      });
      await engine.close();
      await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} RENAME TO ${name}`);
    }
    return name;
  } finally {
    await client.end();
  }
}
