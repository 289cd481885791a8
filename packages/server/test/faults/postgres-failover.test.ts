import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { keyCheckValues } from '../../src/core/secrets/key-check.ts';
import { examineStorage } from '../../src/storage/examine.ts';
import { openPostgres } from '../../src/storage/postgres/engine.ts';
import { type ClusteredNodes, startClusteredNodes } from '../support/clustered-nodes.ts';
import type { ClusterMember } from '../support/postgres-cluster.ts';
import { TEST_SECRET_KEY, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** What losing a server of a cluster must not do. More such losses, which take longer, are in `npm run failover`. */
let subject: ClusteredNodes;
let cluster: ClusteredNodes['cluster'];
let one: TestService;
let send: ClusteredNodes['send'];
let primaryAndStandbys: ClusteredNodes['primaryAndStandbys'];
beforeAll(async () => {
  subject = await startClusteredNodes();
  ({ cluster, one, send, primaryAndStandbys } = subject);
});
afterAll(() => subject.stop());

const ready = async (node = one) => (await fetch(`${node.url}/readyz`)).status;
const messageOf = ({ body }: { body: unknown }) => (body as { error?: { message: string } }).error?.message;

test('two nodes that start at once on an empty database are ready, and `sluice doctor` names the hosts', async () => {
  expect(await Promise.all(subject.nodes.map(node => ready(node)))).toEqual([200, 200]);
  expect((await send([{ type: 'x' }])).status).toBe(202);
  const found = await examineStorage({
    directory: one.directory,
    databaseUrl: cluster.url(subject.database),
    replicas: 1,
    keyChecks: keyCheckValues({ present: TEST_SECRET_KEY, previous: null }),
  });
  expect(found.map(({ ok }) => ok)).toEqual(found.map(() => true));
  const says = found.filter(({ matter }) => matter === 'host').map(finding => finding.says);
  expect(says.map(text => text.replace(/^\S+ /, ''))).toEqual([
    'is the primary',
    'is a standby',
    'is a standby',
  ]);
  const refused = {
    directory: one.directory,
    databaseUrl: cluster.url(subject.database),
    replicas: 2,
    keyChecks: [],
  };
  expect(await examineStorage(refused)).toContainEqual(
    expect.objectContaining({ ok: false, matter: 'durability' }),
  );
});

test('which server is the primary is known, and who follows it how closely', async () => {
  const { primary, standbys } = await primaryAndStandbys();
  const known = await one.engine.replication();
  expect(known).toMatchObject({ primary: `127.0.0.1:${primary.port}`, waitsFor: 1, connected: 2 });
  expect(known?.standbys?.map(({ name }) => name)).toEqual(standbys.map(({ name }) => name));
  for (const standby of known?.standbys ?? []) {
    expect(standby).toMatchObject({ address: '127.0.0.1', state: 'streaming', isInQuorum: true });
    expect(standby.behindBytes).toBeGreaterThanOrEqual(0);
  }
});

test('a role that may not see how standbys do is shown their number, and nothing is guessed', async () => {
  const { primary } = await primaryAndStandbys();
  await primary.query(`CREATE ROLE plain LOGIN PASSWORD 'plain'`);
  await primary.query('CREATE DATABASE of_plain OWNER plain');
  const url = `postgres://plain:plain@127.0.0.1:${primary.port}/of_plain`;
  const engine = await openPostgres({ url, onFatal: () => {} });
  try {
    expect(await engine.replication()).toMatchObject({ role: 'plain', connected: 2, standbys: null });
    await primary.query('GRANT pg_read_all_stats TO plain');
    expect((await engine.replication())?.standbys).toHaveLength(2);
  } finally {
    await engine.close();
  }
});

test('the primary is killed and a standby promoted: senders are answered again, and nothing is lost', async () => {
  const { primary } = await primaryAndStandbys();
  await subject.underLoad(async accepted => {
    await primary.kill();
    await cluster.promote();
    await accepted(1);
  });
  expect((await cluster.primary()).name).not.toBe(primary.name);
  await until(() => one.engine.changeFeedIsLive(), 'It does not hear of changes at the new primary.');
  const promoted = (await cluster.primary()).port;
  expect(await one.engine.replication()).toMatchObject({ primary: `127.0.0.1:${promoted}`, connected: 1 });
  await subject.bringBack(primary.name);
});

test('the primary falls silent and a standby is promoted: nobody waits for the old one', async () => {
  const { primary } = await primaryAndStandbys();
  await subject.underLoad(async accepted => {
    primary.freeze();
    await cluster.promote();
    await accepted(1);
    // It wakes up as a primary that nobody follows, and nobody goes back to it.
    primary.thaw();
    await accepted(30);
    await primary.kill();
  });
  await subject.bringBack(primary.name);
});

/** Connections whose commit waits for a standby. */
const waitingCommits = async (primary: ClusterMember) =>
  primary.query<{ pid: number }>(`SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`);

/**
 * Those that somebody may be acknowledged for; heartbeats and the like wait, too. What a worker of the node has taken up
 * is locked until the standbys have that, and whoever repeats it waits for the worker.
 */
const waitingAppends = async (primary: ClusterMember) =>
  (
    await primary.query(
      `SELECT 1 FROM pg_stat_activity WHERE (wait_event = 'SyncRep' AND query = 'COMMIT')
       OR (wait_event_type = 'Lock' AND query LIKE '%INSERT INTO events%')`,
    )
  ).length;

describe('with both standbys away', () => {
  test('a wait that an administrator ends is no commit: 503', async () => {
    const { primary, standbys } = await primaryAndStandbys();
    await Promise.all(standbys.map(standby => standby.kill()));
    const answers = Promise.all([
      send([{ type: 'cancelled' }]),
      send([{ type: 'cancelled', id: 'cancelled' }]),
    ]);
    let isAnswered = false;
    void answers.finally(() => {
      isAnswered = true;
    });
    await until(async () => {
      for (const { pid } of await waitingCommits(primary))
        await primary.query(`SELECT pg_cancel_backend(${pid})`);
      return isAnswered;
    }, 'It is not answered.');
    expect((await answers).map(({ status }) => status)).toEqual([503, 503]);
    await Promise.all(standbys.map(standby => standby.start()));
    await until(async () => (await ready()) === 200, 'It does not come back.');
  });

  test.each([
    ['by the id of its sender', { id: 'order 1' }, {}],
    ['by its key', {}, { 'X-Ingest-Idempotency-Key': 'order 2' }],
  ])(
    'what only the primary has is not acknowledged to whoever repeats it %s',
    async (_by, event, headers) => {
      const { primary, standbys } = await primaryAndStandbys();
      await Promise.all(standbys.map(standby => standby.kill()));
      const repeated = () => send([{ type: 'repeated', ...event }], headers);
      const first = repeated();
      await until(async () => (await waitingCommits(primary)).length > 0, 'The commit does not wait.');
      // After its recovery it shows everybody what it has, whoever else has it or not.
      await primary.kill();
      expect((await first).status).toBe(503);
      await primary.start();

      await until(() => one.engine.changeFeedIsLive(), 'It does not come back.');
      let status = 0;
      const repeat = () =>
        void repeated().then(answer => {
          status = answer.status;
        });
      /** Whoever is told to come again does. */
      const isAccepted = () => {
        if (status === 503) {
          status = 0;
          repeat();
        }
        return status !== 0;
      };
      repeat();
      await until(async () => isAccepted() || (await waitingAppends(primary)) > 0, 'It does not wait.');
      expect(status).toBe(0);
      await Promise.all(standbys.map(standby => standby.start()));
      await until(isAccepted, 'It is not answered.');
      expect(status).toBe(202);
    },
  );
});

test('a primary that ceases to wait for standbys is not used, and it is said why', async () => {
  const { primary, standbys } = await primaryAndStandbys();
  const wait = async (names: string) => {
    await primary.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await primary.query('SELECT pg_reload_conf()');
  };
  await Promise.all(standbys.map(standby => standby.kill()));
  const answers = Promise.all([send([{ type: 'x' }]), send([{ type: 'x', id: 'let go' }])]);
  await until(async () => (await waitingCommits(primary)).length > 0, 'The commit does not wait.');
  await wait('');
  // The server has committed both, for nobody but itself.
  expect((await answers).map(({ status }) => status)).toEqual([503, 503]);
  let refusal: string | undefined;
  await until(async () => {
    const answer = await send([{ type: 'x' }]);
    expect(answer.status).toBe(503);
    refusal = messageOf(answer);
    return refusal?.includes('SLUICE_REQUIRE_REPLICAS') ?? false;
  }, 'It does not say why.');
  expect(refusal).toContain('asks for 1, but PostgreSQL waits for 0: synchronous_standby_names is empty');
  expect(await ready()).toBe(503);
  await Promise.all(standbys.map(standby => standby.start()));
  await wait(`ANY 1 (${standbys.map(({ name }) => name).join()})`);
  await until(async () => (await send([{ type: 'x' }])).status === 202, 'It does not come back.');
});
