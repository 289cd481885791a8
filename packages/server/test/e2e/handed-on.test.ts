import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import pg from 'pg';
import { type Browser, setUp } from '../support/dashboard.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { makeInbox, makePipeline, makeWebhook, readEvent, settled } from '../support/pipelines.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Writes down each claim and change of an event, and each delivery that was made for anybody to claim. */
interface Witness {
  /** How many claims and deliveries for anybody, or changes of events. */
  count(what?: 'change'): Promise<number>;
  end(): Promise<void>;
}

const only = (what: 'change' | undefined): string =>
  what === undefined ? `WHERE what <> 'change'` : `WHERE what = '${what}'`;

function witnessOfSqlite(directory: string): Witness {
  const database = new Database(join(directory, 'sluice.db'));
  database.run('PRAGMA busy_timeout = 5000');
  database.run('CREATE TABLE seen (what TEXT)');
  database.run(
    `CREATE TRIGGER claims AFTER INSERT ON event_claims BEGIN INSERT INTO seen VALUES ('claim'); END`,
  );
  database.run(`CREATE TRIGGER changes AFTER UPDATE ON events BEGIN INSERT INTO seen VALUES ('change'); END`);
  database.run(
    `CREATE TRIGGER pending AFTER INSERT ON deliveries WHEN NEW.state = 'pending'
     BEGIN INSERT INTO seen VALUES ('pending'); END`,
  );
  return {
    count: async what =>
      database.query<{ n: number }, []>(`SELECT count(*) AS n FROM seen ${only(what)}`).get()?.n ?? 0,
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
    CREATE TRIGGER changes AFTER UPDATE ON events FOR EACH ROW EXECUTE FUNCTION see('change');
    CREATE TRIGGER pending AFTER INSERT ON deliveries FOR EACH ROW WHEN (NEW.state = 'pending')
      EXECUTE FUNCTION see('pending')`);
  return {
    count: async what =>
      Number((await client.query(`SELECT count(*) AS n FROM seen ${only(what)}`)).rows[0].n),
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
    const database = engine === 'PostgreSQL' ? await migratedDatabase() : null;
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

    // What nobody listens to is written once, and what a new pipeline listens to goes through it from then on.
    const quiet = await makeWebhook(service.url, owner, 'Quiet');
    await until(async () => {
      const changes = await witness.count('change');
      const { state } = await settled(owner, await quiet.send({ type: 'quiet' }));
      return state === 'unrouted' && (await witness.count('change')) === changes;
    }, 'It is written twice.');
    await makePipeline(owner, { name: 'Second', sources: [quiet.id], destinations: [{ id: inbox }] });
    await delivered(owner, await quiet.send({ type: 'heard' }));

    await witness.end();
    await service.stop();
    await database?.drop();
  });
}
