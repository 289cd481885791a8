import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';

describe('starting on PostgreSQL', () => {
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    ({ url } = await server.freshDatabase());
  });
  afterAll(() => server.remove());

  const open = (given: string, reachMs = 300) =>
    openPostgres({ url: given, onFatal: () => {}, timeouts: { reachMs } });

  const changed = (change: (url: URL) => void): string => {
    const copy = new URL(url);
    change(copy);
    return copy.href;
  };

  const refusal = (given: string): Promise<string> =>
    open(given, 60_000).then(
      engine => engine.close().then(() => 'It opened.'),
      (error: Error) => error.message,
    );

  test('gives up at once, with one line, where waiting would not help', async () => {
    const wrongPassword = changed(copy => {
      copy.password = 'not-the-password';
    });
    const wrongDatabase = changed(copy => {
      copy.pathname = '/nowhere';
    });
    await server.administer(url, `CREATE ROLE guest LOGIN PASSWORD 'guest'`);
    const noRights = changed(copy => {
      copy.username = 'guest';
      copy.password = 'guest';
    });
    for (const given of [wrongPassword, wrongDatabase, noRights]) {
      const message = await refusal(given);
      expect(message).toMatch(
        /^PostgreSQL at 127\.0\.0\.1:\d+ cannot be used: [^\n]+ Check SLUICE_DATABASE_URL\.$/,
      );
      expect(message).not.toContain('not-the-password');
    }
  });

  test('gives up after a while, with one line, where nobody answers', async () => {
    const unreachable = changed(copy => {
      copy.port = '1';
    });
    const started = performance.now();
    const message = await open(unreachable).catch((error: Error) => error.message);
    expect(message).toMatch(/^PostgreSQL at 127\.0\.0\.1:1 cannot be used: [^\n]+$/);
    expect(performance.now() - started).toBeGreaterThan(250);
  });

  test('waits for a server that is about to come up', async () => {
    await server.stopImmediately();
    const opening = open(url, 20_000);
    await server.startAgain();
    const engine = await opening;
    await engine.checkWritable();
    await engine.close();
  });
});
