import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import pg from 'pg';
import type { StorageEngine } from '../../src/core/stores/engine.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { seedOrganisation } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('a migration that is cut short', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  const open = (url: string): Promise<StorageEngine> => openPostgres({ url, onFatal: () => {} });

  const tables = async (url: string) =>
    (await server.administer(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)).length;

  /** Starts a node whose migration comes to stand in the middle: somebody else is about to make one of its tables. */
  async function stopInTheMiddle(url: string): Promise<{ failure: Promise<unknown> }> {
    const rival = new pg.Client({ connectionString: url });
    rival.on('error', () => {});
    await rival.connect();
    await rival.query('BEGIN; CREATE TABLE audit (id TEXT)');
    const failure = open(url).then(
      () => null,
      (error: unknown) => error,
    );
    await until(async () => (await waiting(url)) === 1, 'The migration does not wait.');
    return { failure };
  }

  const waiting = async (url: string) => {
    const [row] = await server.administer<{ count: number }>(
      url,
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE application_name = 'sluice' AND wait_event_type = 'Lock' AND datname = current_database()`,
    );
    return row?.count;
  };

  async function expectWhole(url: string): Promise<void> {
    const engine = await open(url);
    const { orgId } = await seedOrganisation(engine);
    expect(await engine.configuration.listAudit(orgId, { limit: 1, below: null })).toEqual([]);
    await engine.checkWritable();
    await engine.close();
  }

  test('by the death of PostgreSQL leaves nothing half done, and the next start completes it', async () => {
    const { url } = await server.freshDatabase();
    const { failure } = await stopInTheMiddle(url);
    await server.stopImmediately();
    expect(await failure).toBeInstanceOf(Error);
    await server.startAgain();
    expect(await tables(url)).toBe(0);
    await expectWhole(url);
  });

  test('by the death of its node leaves nothing half done, and the next start completes it', async () => {
    const { url } = await server.freshDatabase();
    const { failure } = await stopInTheMiddle(url);
    await server.administer(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    expect(await failure).toBeInstanceOf(Error);
    await until(async () => (await tables(url)) === 0, 'Something is left of it.');
    await expectWhole(url);
  });

  test('many nodes that start together migrate once', async () => {
    const { url } = await server.freshDatabase();
    const nodes = await Promise.all(Array.from({ length: 4 }, () => open(url)));
    await Promise.all(nodes.map(node => node.close()));
    await expectWhole(url);
  });

  test('a database of a newer version is refused', async () => {
    const { url } = await server.freshDatabase();
    await (await open(url)).close();
    await server.administer(url, 'INSERT INTO schema_version SELECT generate_series(1001, 1100)');
    expect(await open(url).catch((error: Error) => error.message)).toMatch(/written by a newer Sluice/);
  });
});
