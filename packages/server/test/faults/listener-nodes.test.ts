import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { listen } from '../../src/command/listen.ts';
import { readArguments } from '../../src/command/read-arguments.ts';
import { readSettings } from '../../src/settings.ts';
import { type Browser, dataOf, setUp } from '../support/dashboard.ts';
import { acceptedIds, ingestWith } from '../support/endpoints.ts';
import { makePipeline, readEvent } from '../support/pipelines.ts';
import { type FreshDatabase, freshDatabase } from '../support/postgres.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { recordTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

describe('two nodes on one database and a listener', () => {
  let database: FreshDatabase;
  let nodes: [TestService, TestService];
  let owner: Browser;
  let key: string;
  const local = startReceiver();
  /** What stands in front of several nodes: each request goes to the next one. */
  let turn = 0;
  const balancer = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      const node = nodes[turn++ % nodes.length] as TestService;
      return fetch(`${node.url}${pathname}`, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        signal: request.signal,
      });
    },
  });

  beforeAll(async () => {
    database = await freshDatabase();
    const settings = { SLUICE_DATABASE_URL: database.url };
    const first = await startTestService({ settings });
    owner = await setUp(first);
    nodes = [first, await startTestService({ settings })];
    key = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'test' })).secret;
  });
  afterAll(async () => {
    await balancer.stop(true);
    await Promise.all(nodes.map(node => node.stop()));
    await local.stop();
    await database.drop();
  });

  async function makeListener(match: string) {
    const source = dataOf<{ id: string }>(await owner.post('/sources', { kind: 'sdk', name: match, match }));
    const { id, secret } = dataOf<{ id: string; secret: string }>(
      await owner.post('/destinations', {
        kind: 'listener',
        name: match,
        config: {},
        policy: { attempts: 1, timeout_s: 10 },
      }),
    );
    await makePipeline(owner, { sources: [source.id], destinations: [{ id }] });
    return { id, token: secret };
  }

  function begin(token: string, url: string) {
    const terminal = recordTerminal();
    const settings = readSettings({});
    const args = ['--url', url, '--token', token, '--forward', local.url, '--json'];
    const exit = listen.run(readArguments(listen, args, settings), { settings, terminal });
    return { terminal, exit };
  }

  const send = async (node: TestService, type: string) =>
    acceptedIds(await ingestWith(node.url, key)({ events: Array.from({ length: 5 }, () => ({ type })) }));

  const statesOf = async (ids: readonly string[]) =>
    (await Promise.all(ids.map(id => readEvent(owner, id)))).flatMap(({ deliveries }) =>
      deliveries.map(({ state }) => state),
    );

  const areAll = async (ids: readonly string[], state: string) => {
    const states = await statesOf(ids);
    return states.length === ids.length && states.every(one => one === state);
  };

  test('whichever of them takes an event in, it reaches the one connection', async () => {
    const { token } = await makeListener('everywhere');
    const { terminal, exit } = begin(token, `http://127.0.0.1:${balancer.port}`);
    const ids = (await Promise.all(nodes.map(node => send(node, 'everywhere')))).flat();
    await until(() => areAll(ids, 'delivered'), 'All ten should be delivered, results through either node.');
    const seen = local.requests.map(({ headers }) => headers.get('x-service-event-id') ?? '');
    expect(seen.filter(id => ids.includes(id)).toSorted()).toEqual(ids.toSorted());
    terminal.stop();
    expect(await exit).toBe(0);
  });

  test('a listener that connects to another node takes the place of the one before', async () => {
    const { token } = await makeListener('moved');
    const first = begin(token, nodes[0].url);
    const ids = await send(nodes[1], 'moved');
    await until(() => areAll(ids, 'delivered'), 'They should arrive.');
    const second = begin(token, nodes[1].url);
    expect(await first.exit).toBe(1);
    const later = await send(nodes[0], 'moved');
    await until(() => areAll(later, 'delivered'), 'They should arrive.');
    second.terminal.stop();
    expect(await second.exit).toBe(0);
    const held = await send(nodes[0], 'moved');
    await until(() => areAll(held, 'held'), 'They should be held.');
  });
});
