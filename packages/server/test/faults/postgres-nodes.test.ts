import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { newId } from '../../src/core/ids.ts';
import { hashSecret, newSecret } from '../../src/core/secrets/vault.ts';
import { ingestWith, post } from '../support/endpoints.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

describe('two nodes on one database', () => {
  let server: PostgresServer;
  let url: string;
  let one: TestService;
  let other: TestService;
  let seed: Seed;
  beforeAll(async () => {
    server = await startPostgres();
    ({ url } = await server.freshDatabase());
    const settings = { SLUICE_DATABASE_URL: url };
    [one, other] = await Promise.all([startTestService({ settings }), startTestService({ settings })]);
    seed = await seedOrganisation(one.engine);
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await server.remove();
  });

  const body = { events: [{ type: 'order.created' }] };

  /** A new key that both nodes have seen in use, and so have cached. */
  async function keyInUse(): Promise<{ id: string; secret: string }> {
    const [id, secret] = [newId('key'), newSecret('sk')];
    await one.engine.configuration.createApiKey({
      id,
      orgId: seed.orgId,
      name: 'test',
      prefix: secret.slice(0, 8),
      hash: hashSecret(secret),
      createdAt: Date.now(),
      lastUsedAt: null,
      revokedAt: null,
    });
    for (const { url } of [one, other]) expect((await ingestWith(url, secret)(body)).status).toBe(202);
    return { id, secret };
  }

  const listeners = (command: string) =>
    server.administer(
      url,
      `SELECT ${command} FROM pg_stat_activity
       WHERE application_name = 'sluice changes' AND datname = current_database()`,
    );

  test('a key revoked on one is refused by the other at once', async () => {
    const { id, secret } = await keyInUse();
    await one.engine.configuration.revokeApiKey(seed.orgId, id, Date.now());
    expect((await ingestWith(one.url, secret)(body)).status).toBe(401);
    await until(
      async () => (await ingestWith(other.url, secret)(body)).status === 401,
      'Still accepted.',
      500,
    );
  });

  test('a source disabled on one is refused by the other at once', async () => {
    const source = await seed.source('none');
    const send = async ({ url }: TestService) => (await post(`${url}/whk/${source.token}`, '{}')).status;
    expect([await send(one), await send(other)]).toEqual([202, 202]);
    await one.engine.configuration.updateSource(seed.orgId, source.id, { enabled: false }, Date.now());
    await until(async () => (await send(other)) === 403, 'Still accepted.', 2_000);
  });

  test('a node that cannot receive changes trusts nothing that it has cached', async () => {
    const { id, secret } = await keyInUse();
    // Whether the other node is deaf at that moment or has just come back: it must not accept the key.
    await listeners('pg_terminate_backend(pid)');
    await one.engine.configuration.revokeApiKey(seed.orgId, id, Date.now());
    await until(
      async () => (await ingestWith(other.url, secret)(body)).status === 401,
      'Still accepted.',
      500,
    );
    await until(() => other.engine.changeFeedIsLive(), 'It does not receive changes again.');
    await until(() => one.engine.changeFeedIsLive(), 'It does not receive changes again.');
    expect((await ingestWith(other.url, secret)(body)).status).toBe(401);
  });

  test('a node whose listening connection falls silent knows it', async () => {
    await until(() => other.engine.changeFeedIsLive(), 'It receives nothing.');
    const frozen = (await listeners('pid')) as { pid: number }[];
    expect(frozen).toHaveLength(2);
    const { id, secret } = await keyInUse();
    for (const { pid } of frozen) process.kill(pid, 'SIGSTOP');
    // Its own changes a node knows of without the feed.
    await one.engine.configuration.revokeApiKey(seed.orgId, id, Date.now());
    expect((await ingestWith(one.url, secret)(body)).status).toBe(401);
    const refused = async () => (await ingestWith(other.url, secret)(body)).status === 401;
    await until(refused, 'It takes silence for peace.', 8_000);
    for (const { pid } of frozen) process.kill(pid, 'SIGCONT');
    await until(() => other.engine.changeFeedIsLive(), 'It does not receive changes again.', 8_000);
  });

  test('racing requests with one key at both nodes make one event', async () => {
    const key = { 'X-Ingest-Idempotency-Key': 'one for both' };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        ingestWith(n % 2 === 0 ? one.url : other.url, seed.apiKey)(body, key),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    const events = answers.map(
      answer => (answer.body as { data: { events: { id: string; duplicate: boolean }[] } }).data.events[0],
    );
    expect(new Set(events.map(event => event?.id)).size).toBe(1);
    expect(events.filter(event => event?.duplicate === false)).toHaveLength(1);
  });

  test("each enforces its share of a source's rate", async () => {
    // So slow that nothing flows back during the test: a burst of 20 is what both may spend together.
    const accepted = async () => {
      const source = await seed.source('none', { perSecond: 0.001, burst: 20 });
      const statuses = await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          post(`${(n % 2 === 0 ? one : other).url}/whk/${source.token}`, '{}').then(({ status }) => status),
        ),
      );
      return statuses.filter(status => status === 202).length;
    };
    // Each learns with its next heartbeat that it is not alone.
    await until(async () => (await accepted()) === 20, 'The nodes do not share the rate.');
    expect(await accepted()).toBe(20);
  });
});
