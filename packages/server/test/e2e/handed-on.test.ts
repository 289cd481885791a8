import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import pg from 'pg';
import { type Browser, setUp } from '../support/dashboard.ts';
import { makeInbox, makePipeline, makeWebhook, readEvent } from '../support/pipelines.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Writes down each claim of an event, and each delivery that was made for anybody to claim. */
interface Witness {
  count(): Promise<number>;
  end(): Promise<void>;
}

function witnessOfSqlite(directory: string): Witness {
  const database = new Database(join(directory, 'sluice.db'));
  database.run('PRAGMA busy_timeout = 5000');
  database.run('CREATE TABLE seen (what TEXT)');
  database.run(
    `CREATE TRIGGER claims AFTER INSERT ON event_claims BEGIN INSERT INTO seen VALUES ('claim'); END`,
  );
  database.run(
    `CREATE TRIGGER pending AFTER INSERT ON deliveries WHEN NEW.state = 'pending'
     BEGIN INSERT INTO seen VALUES ('pending'); END`,
  );
  return {
    count: async () => database.query<{ n: number }, []>('SELECT count(*) AS n FROM seen').get()?.n ?? 0,
    end: async () => database.close(),
  };
}

async function witnessOfPostgres(url: string): Promise<Witness> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`CREATE TABLE seen (what TEXT);
    CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN INSERT INTO seen VALUES (TG_ARGV[0]); RETURN NULL; END $$;
    CREATE TRIGGER claims AFTER INSERT ON event_claims FOR EACH ROW EXECUTE FUNCTION see('claim');
    CREATE TRIGGER pending AFTER INSERT ON deliveries FOR EACH ROW WHEN (NEW.state = 'pending')
      EXECUTE FUNCTION see('pending')`);
  return {
    count: async () => Number((await client.query('SELECT count(*) AS n FROM seen')).rows[0].n),
    end: () => client.end(),
  };
}

const delivered = async (browser: Browser, id: string): Promise<void> =>
  until(async () => {
    const { deliveries } = await readEvent(browser, id);
    return deliveries.length === 1 && (deliveries[0] as { state?: string }).state === 'delivered';
  }, `${id} was not delivered.`);

for (const engine of ['SQLite', 'PostgreSQL']) {
  test(`what is accepted goes through to its destination, and nobody claims it from storage: ${engine}`, async () => {
    const database = engine === 'PostgreSQL' ? await freshDatabase() : null;
    const service = await startTestService({
      settings: database === null ? {} : { SLUICE_DATABASE_URL: database.url },
    });
    const owner = await setUp(service);
    const hook = await makeWebhook(service.url, owner);
    const inbox = await makeInbox(owner);
    await makePipeline(owner, { sources: [hook.id], destinations: [{ id: inbox }] });
    const witness =
      database === null ? witnessOfSqlite(service.directory) : await witnessOfPostgres(database.url);

    // The first find out that nothing waits in storage.
    await until(async () => {
      const before = await witness.count();
      await delivered(owner, await hook.send({ type: 'warm' }));
      return (await witness.count()) === before;
    }, 'Everything is claimed from storage.');
    const before = await witness.count();
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => hook.send({ type: `n.${n}` })));
    for (const id of ids) await delivered(owner, id);
    expect(await witness.count()).toBe(before);

    await witness.end();
    await service.stop();
    await database?.drop();
  }, 60_000);
}
