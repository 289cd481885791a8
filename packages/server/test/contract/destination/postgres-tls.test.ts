import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { defaultTableDdl } from '../../../src/delivery/destinations/postgres/mapping.ts';
import { postgresDestination } from '../../../src/delivery/destinations/postgres.ts';
import { prepareFrom, refusalOf, sampleDelivery } from '../../support/delivery.ts';
import { type FreshDatabase, type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { createAuthority } from '../../support/tls.ts';

/** A real PostgreSQL that takes nobody in without TLS. */

const authority = createAuthority();
const home = mkdtempSync('/tmp/sluice-postgres-tls-');
let server: PostgresServer;
let database: FreshDatabase;

beforeAll(async () => {
  const { key, cert } = authority.certify(['db.test']);
  chmodSync(home, 0o755);
  writeFileSync(join(home, 'server.crt'), cert);
  writeFileSync(join(home, 'server.key'), key, { mode: 0o600 });
  if (process.getuid?.() === 0) chownSync(join(home, 'server.key'), 65_534, 65_534);
  server = await startPostgres([
    'ssl=on',
    `ssl_cert_file=${join(home, 'server.crt')}`,
    `ssl_key_file=${join(home, 'server.key')}`,
  ]);
  database = await server.freshDatabase();
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(defaultTableDdl('events'));
  await admin.query('CREATE TABLE seen (encrypted boolean)');
  await admin.query(`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    BEGIN INSERT INTO seen SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid(); RETURN NEW; END $$`);
  await admin.query('CREATE TRIGGER note BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION note()');
  await admin.end();
});
afterAll(async () => {
  await server.remove();
  rmSync(home, { recursive: true, force: true });
});

function addressed(host: string, mode: string): string {
  const url = new URL(database.url);
  url.hostname = host;
  url.search = `?sslmode=${mode}`;
  return url.href;
}

async function send(connection_string: string, ca?: string) {
  const config = { connection_string, table: 'events', ...(ca ? { ca } : {}) };
  const destination = prepareFrom(postgresDestination, config);
  const result = await destination.send(sampleDelivery());
  await destination.close?.();
  return result.outcome === 'delivered' ? result.outcome : result.code;
}

describe('a database with TLS', () => {
  test('is connected to under its name, with the certificate that the configuration trusts', async () => {
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      expect(await send(addressed('db.test', mode), authority.ca)).toBe('delivered');
    }
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    expect((await admin.query('SELECT DISTINCT encrypted FROM seen')).rows).toEqual([{ encrypted: true }]);
    await admin.end();
  });

  test('is not trusted under another name, or where nobody vouches for it', async () => {
    expect(await send(addressed('other.test', 'require'), authority.ca)).toBe('tls_invalid');
    expect(await send(addressed('db.test', 'require'))).toBe('tls_invalid');
    expect(await send(addressed('db.test', 'require'), createAuthority().ca)).toBe('tls_invalid');
  });

  test('is refused when saved where it is not trusted', async () => {
    const config = {
      connection_string: addressed('other.test', 'require'),
      table: 'events',
      ca: authority.ca,
    };
    expect(await refusalOf(postgresDestination, config)).toMatchObject({
      at: '400 config.connection_string',
    });
  });
});
