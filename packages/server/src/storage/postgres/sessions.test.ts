import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type FreshDatabase, freshDatabase } from '../../../test/support/postgres.ts';
import { until } from '../../../test/support/until.ts';
import { readConnections } from './connection.ts';
import { createPrimary } from './primary.ts';
import { openSessionPool, type Session, type SessionPool } from './sessions.ts';

let database: FreshDatabase;
let sessions: SessionPool;
beforeAll(async () => {
  database = await freshDatabase();
  const primary = createPrimary(readConnections(database.url), { replicas: 0 });
  sessions = openSessionPool(primary, {
    most: 1,
    statementMs: 10_000,
    waitMs: 5_000,
    byIndex: true,
    onFatal() {},
  });
});
afterAll(async () => {
  await sessions.close();
  await database.drop();
});

async function withSession<T>(work: (session: Session) => Promise<T>) {
  const session = await sessions.acquire();
  try {
    return await work(session);
  } finally {
    session.release();
  }
}

const FIND = 'SELECT n FROM grown WHERE n >= $1';

/** What the plan that the connection has kept takes the rows to be. */
const rowsPlannedFor = () =>
  withSession(async session => {
    const { rows: prepared } = await session.query<{ name: string }>(
      `SELECT name FROM pg_prepared_statements WHERE statement = '${FIND}'`,
    );
    const { rows } = await session.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN EXECUTE ${prepared[0]?.name} (1)`,
    );
    return Number(/rows=(\d+)/.exec(rows[0]?.['QUERY PLAN'] ?? '')?.[1]);
  });

test('a plan is used again, and one that was made while a table was empty is soon replaced', async () => {
  await withSession(async session => {
    await session.query('CREATE TABLE grown (n BIGINT PRIMARY KEY) WITH (autovacuum_enabled = off)');
    for (let n = 0; n < 10; n++) await session.query(FIND, [1]);
    const { rows } = await session.query<{ plans: string }>(
      `SELECT generic_plans || ' generic, ' || custom_plans || ' custom' AS plans
       FROM pg_prepared_statements WHERE statement = '${FIND}'`,
    );
    expect(rows).toEqual([{ plans: '10 generic, 0 custom' }]);
  });
  const whileEmpty = await rowsPlannedFor();
  await withSession(session => session.query('INSERT INTO grown SELECT generate_series(1, 100000)'));
  await until(async () => {
    await withSession(session => session.query(FIND, [100_000]));
    return (await rowsPlannedFor()) > 10 * whileEmpty;
  }, 'The plan of the empty table is still in use.');
});
