import { afterEach, describe, expect, test } from 'bun:test';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { aClaim, anEvent, aRequest, idAt, NOW } from '../contract/storage/samples.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';

describe('a server that might lose what it acknowledges', () => {
  let server: PostgresServer | undefined;
  afterEach(() => server?.remove());

  const messageOf = (opening: Promise<unknown>) =>
    opening.then(
      () => 'It opened.',
      (error: Error) => error.message,
    );

  test('is refused at the start when fsync is off', async () => {
    server = await startPostgres(['fsync=off']);
    const { url } = await server.freshDatabase();
    const message = await messageOf(openPostgres({ url, onFatal: () => {} }));
    expect(message).toStartWith('PostgreSQL runs with fsync off');
    expect(await server.administer(url, `SELECT 1 FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
  });

  test('ends the process when it comes back with fsync off', async () => {
    server = await startPostgres();
    const { url } = await server.freshDatabase();
    const fatal: string[] = [];
    const engine = await openPostgres({ url, onFatal: reason => fatal.push(reason) });
    await engine.checkWritable();
    await server.stopImmediately();
    await server.startAgain(['fsync=off']);
    const org = idAt('org', NOW);
    await until(async () => {
      const failure = await engine.journal
        .append([aRequest(org, [anEvent()])])
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'storage_unavailable' });
      return fatal.length > 0;
    }, 'It goes on.');
    expect(fatal[0]).toStartWith('PostgreSQL runs with fsync off');
    await engine.close();
  });

  test('is refused when it cannot hold every text', async () => {
    server = await startPostgres();
    const { url } = await server.freshDatabase();
    const name = 'in_latin';
    await server.administer(
      url,
      `CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'`,
    );
    const latin = new URL(url);
    latin.pathname = `/${name}`;
    expect(await messageOf(openPostgres({ url: latin.href, onFatal: () => {} }))).toContain(
      'encoded in LATIN1',
    );
  });

  test('has to flush every append, whatever its own defaults are', async () => {
    server = await startPostgres(['synchronous_commit=off']);
    const { url } = await server.freshDatabase();
    await (await openPostgres({ url, onFatal: () => {} })).close();
    const database = new URL(url).pathname.slice(1);
    await server.administer(
      url,
      `ALTER DATABASE ${database} SET synchronous_commit = off;
       ALTER DATABASE ${database} SET default_transaction_isolation = 'serializable';
       CREATE TABLE seen (setting TEXT, isolation TEXT);
       CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO seen VALUES (current_setting('synchronous_commit'), current_setting('transaction_isolation'));
         RETURN NEW; END $$;
       CREATE TRIGGER see BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION see()`,
    );
    const engine = await openPostgres({ url, onFatal: () => {} });
    const org = idAt('org', NOW);
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        engine.journal.append([
          aRequest(org, [anEvent({ senderId: n % 3 === 0 ? `order ${n}` : null })], {
            idempotency: n % 3 === 1 ? aClaim(org) : null,
          }),
        ]),
      ),
    );
    await engine.close();
    expect(await server.administer(url, 'SELECT DISTINCT setting, isolation FROM seen')).toEqual([
      { setting: 'on', isolation: 'read committed' },
    ]);
  });
});
