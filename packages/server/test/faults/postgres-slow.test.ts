import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import pg from 'pg';
import type { StorageEngine } from '../../src/core/stores/engine.ts';
import { readConnections } from '../../src/storage/postgres/connection.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { createPrimary, type Primary } from '../../src/storage/postgres/primary.ts';
import { openSessionPool } from '../../src/storage/postgres/sessions.ts';
import {
  anApiKey,
  anEvent,
  aRequest,
  fresh,
  idAt,
  NOW,
  storedOrganisation,
} from '../contract/storage/samples.ts';
import { everyStore } from '../support/every-store.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const page = { limit: 10, below: null, budgetMs: 1_000 };

describe('a PostgreSQL that does not answer', () => {
  let server: PostgresServer;
  let url: string;
  let engine: StorageEngine;
  const org = idAt('org', NOW);
  beforeAll(async () => {
    server = await startPostgres();
    ({ url } = await server.freshDatabase());
    engine = await openPostgres({ url, onFatal: () => {}, timeouts: { appendMs: 300 } });
  });
  afterAll(async () => {
    await engine.close();
    await server.remove();
  });

  const append = () => {
    const event = anEvent();
    return engine.journal.append([aRequest(org, [event])]).then(
      ([result]) => expect(result).toEqual(fresh(event.id)),
      (error: unknown) => error,
    );
  };

  /** Holds the events until let go, as a careless administrator might. */
  async function lockEvents(): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    await client.query('BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
    return () => client.end();
  }

  test('gives an append up in time, with 503, and takes the next one', async () => {
    const unlock = await lockEvents();
    const started = performance.now();
    expect(await append()).toMatchObject({ code: 'storage_unavailable', retryAfter: 2 });
    expect(performance.now() - started).toBeLessThan(60_000);
    await unlock();
    expect(await append()).toBeUndefined();
  });

  test('keeps authenticating keys while events are locked', async () => {
    const unlock = await lockEvents();
    const blocked = engine.journal.listEvents(org, {}, page);
    const key = anApiKey(await storedOrganisation(everyStore(engine)));
    await engine.configuration.createApiKey(key);
    expect(await engine.configuration.findApiKeyByHash(key.hash)).toEqual(key);
    await unlock();
    expect((await blocked).events.length).toBeGreaterThan(0);
  });

  test('lets appends through however many slow questions are waiting', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('BEGIN; LOCK TABLE audit IN ACCESS EXCLUSIVE MODE');
    const questions = Array.from({ length: 20 }, () => engine.configuration.listAudit(org, page));
    expect(await append()).toBeUndefined();
    await client.end();
    await Promise.all(questions);
  });

  test('gives up a connection that falls silent, and goes on with another', async () => {
    const sessions = await server.administer<{ pid: number }>(
      url,
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'sluice' AND datname = current_database()`,
    );
    for (const { pid } of sessions) process.kill(pid, 'SIGSTOP');
    expect(await append()).toMatchObject({ code: 'storage_unavailable' });
    expect(await append()).toBeUndefined();
    for (const { pid } of sessions) process.kill(pid, 'SIGCONT');
  });

  test('is not asked to roll back once it has fallen silent: the connection is dropped', async () => {
    const primary = createPrimary(readConnections(url), { replicas: 0 });
    const sent: string[] = [];
    const recorded: Primary = {
      ...primary,
      async connect(use) {
        const client = await primary.connect(use);
        const query = client.query.bind(client) as (config: { text: string }) => Promise<unknown>;
        return Object.assign(client, {
          query(config: { text: string }) {
            sent.push(config.text);
            return query(config);
          },
        });
      },
    };
    const pool = openSessionPool(recorded, {
      most: 1,
      statementMs: 100,
      waitMs: 5_000,
      isOneWait: true,
      onFatal: () => {},
    });
    let frozen = 0;
    const failure = await pool
      .transaction(async session => {
        const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        frozen = rows[0]?.pid ?? 0;
        process.kill(frozen, 'SIGSTOP');
        await session.query('SELECT 1');
      })
      .catch((error: unknown) => error);
    process.kill(frozen, 'SIGCONT');
    expect(failure).toMatchObject({ code: 'storage_unavailable' });
    expect(sent).toEqual(['BEGIN', 'SELECT pg_backend_pid() AS pid', 'SELECT 1']);
    expect(await pool.transaction(async session => (await session.query('SELECT 1')).rowCount)).toBe(1);
    await pool.close();
  });

  test('closes within seconds although a question is waiting', async () => {
    const node = await openPostgres({ url, onFatal: () => {}, timeouts: { otherMs: 600_000 } });
    const unlock = await lockEvents();
    const asked = node.journal.listEvents(org, {}, page).catch((error: unknown) => error);
    await until(async () => (await waiting()) > 0, 'The question does not wait.');
    const started = performance.now();
    await node.close();
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(await asked).toMatchObject({ code: 'storage_unavailable' });
    await unlock();
  });

  const waiting = async () => {
    const [row] = await server.administer<{ count: number }>(
      url,
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
    );
    return row?.count ?? 0;
  };
});
