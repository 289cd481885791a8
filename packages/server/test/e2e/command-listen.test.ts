import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { listen } from '../../src/command/listen.ts';
import { readArguments } from '../../src/command/read-arguments.ts';
import { readSettings } from '../../src/settings.ts';
import { dataOf } from '../support/dashboard.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { type Receiver, type Respond, startReceiver } from '../support/receiver.ts';
import { type RecordedTerminal, recordTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const settings = readSettings({});
let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
});
afterAll(() => flow.stop());

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Listener {
  readonly terminal: RecordedTerminal;
  readonly exit: Promise<number>;
  stop(): Promise<number>;
}

/** The command as somebody types it, up to where it listens. */
function begin(token: string, forward: string, url = flow.service.url): Listener {
  const terminal = recordTerminal();
  const given = readArguments(
    listen,
    ['--url', url, '--token', token, '--forward', forward, '--json'],
    settings,
  );
  const exit = listen.run(given, { settings, terminal });
  const stop = () => {
    terminal.stop();
    return exit;
  };
  ends.push(stop);
  return { terminal, exit, stop };
}

function serve(respond?: Respond): Receiver {
  const local = startReceiver(respond);
  ends.push(local.stop);
  return local;
}

let made = 0;
async function makeListener(policy: Record<string, unknown> = {}, config: Record<string, unknown> = {}) {
  const type = `listened.${++made}`;
  const destination = await flow.destination({
    kind: 'listener',
    name: `Machine ${made}`,
    config,
    policy: { schedule_s: [0, 0.01], timeout_s: 2, ...policy },
  });
  await flow.routeTo({ id: destination.id, when: `event.type == "${type}"` });
  return { id: destination.id, token: destination.secret ?? '', type };
}

const connected = (id: string, isConnected = true) =>
  until(
    async () =>
      dataOf<{ listener: { connected: boolean } }>(await flow.browser.get(`/destinations/${id}`)).listener
        .connected === isConnected,
    `The listener should be ${isConnected ? 'connected' : 'gone'}.`,
  );

test('deliveries are held until a listener is connected, and spend no attempt', async () => {
  const { id, token, type } = await makeListener({ attempts: 1 });
  const event = await flow.send({ n: 1 }, type);
  const held = await flow.settled(event, 'held');
  expect(held).toMatchObject({ attempt: 0, attempts: [] });
  const local = serve(() => new Response('thank you', { status: 201 }));
  const { terminal } = begin(token, `${local.url}/hook?secret=1`);
  const delivered = await flow.settled(event, 'delivered');
  expect(delivered.attempts).toMatchObject([{ n: 1, status: 201, response: 'thank you' }]);
  expect(delivered.attempts[0]?.request.target).toBe(`POST ${local.url}/hook through sluice listen`);
  const [seen] = local.requests;
  expect(seen).toMatchObject({ method: 'POST', path: '/hook?secret=1' });
  expect(JSON.parse(seen?.body ?? '')).toEqual({ type, payload: { n: 1 } });
  expect(seen?.headers.get('x-service-event-id')).toBe(event);
  await until(() => terminal.said.length === 1, 'The delivery should be shown.');
  expect(JSON.parse(terminal.said[0] ?? '')).toMatchObject({
    event,
    type,
    attempt: 1,
    status: 201,
    replay: false,
  });
  await connected(id);
});

test('they are signed as those of a webhook, with the secret given or else the token', async () => {
  const local = serve();
  for (const config of [{}, { signing_secret: 'whsec_of_production' }]) {
    const { token, type } = await makeListener({}, config);
    begin(token, local.url);
    const event = await flow.send({ signed: true }, type);
    await flow.settled(event, 'delivered');
    const seen = local.requests.find(request => request.headers.get('x-service-event-id') === event);
    const [, t, v1] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(seen?.headers.get('x-service-signature') ?? '') ?? [];
    const secret = config.signing_secret ?? token;
    expect(v1).toBe(createHmac('sha256', secret).update(`${t}.${seen?.body}`).digest('hex'));
  }
});

test('what the local server answers decides: it is retried, and ends as a dead letter', async () => {
  const { token, type } = await makeListener({ attempts: 2 });
  let answers = 0;
  const local = serve(({ headers }) => {
    if (headers.get('x-service-attempt') === '1') return new Response('not yet', { status: 500 });
    return new Response(`answer ${++answers}`, { status: answers === 1 ? 200 : 418 });
  });
  begin(token, local.url);
  const delivered = await flow.settled(await flow.send({}, type), 'delivered');
  expect(delivered.attempts).toMatchObject([
    { n: 1, status: 500, code: 'bad_status', response: 'not yet' },
    { n: 2, status: 200, response: 'answer 1' },
  ]);
  const dead = await flow.settled(await flow.send({}, type), 'dead');
  expect(dead.attempts.map(({ status }) => status)).toEqual([500, 418]);
});

test('a local server that is away, or does not answer in time, is a result like any other', async () => {
  const gone = startReceiver();
  await gone.stop();
  const { token, type } = await makeListener({ attempts: 1 });
  const first = begin(token, gone.url);
  expect(await flow.settled(await flow.send({}, type), 'dead')).toMatchObject({
    attempts: [{ status: null, code: 'connection_refused' }],
  });
  await first.stop();
  const slow = await makeListener({ attempts: 1, timeout_s: 1 });
  const hanging = Promise.withResolvers<Response>();
  const local = serve(() => hanging.promise);
  begin(slow.token, local.url);
  const dead = await flow.settled(await flow.send({}, slow.type), 'dead');
  expect(dead.attempts).toMatchObject([{ status: null, code: 'timeout' }]);
  hanging.resolve(new Response());
});

test('a listener that goes before its result came back leaves the attempt on record, unspent', async () => {
  const { id, token, type } = await makeListener({ attempts: 1 });
  const answer = Promise.withResolvers<Response>();
  const local = serve(() => answer.promise);
  const first = begin(token, local.url);
  const event = await flow.send({}, type);
  await until(() => local.requests.length === 1, 'It should arrive.');
  expect(await first.stop()).toBe(0);
  await connected(id, false);
  const held = await flow.settled(event, 'held');
  expect(held.attempts).toMatchObject([{ n: 1, status: null, code: 'connection_reset' }]);
  answer.resolve(new Response());

  begin(token, serve().url);
  const delivered = await flow.settled(event, 'delivered');
  expect(delivered.attempts.map(({ n, status }) => [n, status])).toEqual([
    [1, null],
    [2, 200],
  ]);
});

test('a newer listener takes the place of the older, which says so and ends', async () => {
  const { token, type } = await makeListener();
  const [old, fresh] = [serve(), serve()];
  const first = begin(token, old.url);
  await flow.settled(await flow.send({}, type), 'delivered');
  begin(token, fresh.url);
  expect(await first.exit).toBe(1);
  expect(first.terminal.complaints.join()).toContain('Another listener has connected');
  await flow.settled(await flow.send({}, type), 'delivered');
  expect([old.requests.length, fresh.requests.length]).toEqual([1, 1]);
});

test('a token that is wrong, rotated or gone with its destination opens nothing', async () => {
  const { id, token, type } = await makeListener();
  const local = serve();
  const wrong = begin(`${token.slice(0, 10)}${token[10] === 'A' ? 'B' : 'A'}${token.slice(11)}`, local.url);
  expect(await wrong.exit).toBe(1);
  expect(wrong.terminal.complaints).toEqual(['The token is not valid, or was rotated.']);

  const first = begin(token, local.url);
  await connected(id);
  const rotated = dataOf<{ secret: string }>(
    await flow.browser.post(`/destinations/${id}/rotate`, { overlap_s: 0 }),
  );
  expect(await first.exit).toBe(1);
  expect(await begin(token, local.url).exit).toBe(1);
  const second = begin(rotated.secret, local.url);
  await flow.settled(await flow.send({}, type), 'delivered');
  await flow.browser.delete(`/destinations/${id}`);
  expect(await second.exit).toBe(1);
});

test('while a token is being rotated both open it', async () => {
  const { id, token } = await makeListener();
  await flow.browser.post(`/destinations/${id}/rotate`, { overlap_s: 3600 });
  const { stop } = begin(token, serve().url);
  await connected(id);
  expect(await stop()).toBe(0);
});

test('a server that cannot be reached ends the command with 2', async () => {
  const gone = startReceiver();
  await gone.stop();
  const { token } = await makeListener();
  expect(await begin(token, 'http://localhost:1', gone.url).exit).toBe(2);
});

test('r sends the last delivery to the local server once more, and nothing is recorded of it', async () => {
  const { token, type } = await makeListener();
  const local = serve();
  const { terminal } = begin(token, local.url);
  const event = await flow.send({}, type);
  await flow.settled(event, 'delivered');
  terminal.press('r');
  await until(() => terminal.said.length === 2, 'The replay should be shown.');
  expect(JSON.parse(terminal.said[1] ?? '')).toMatchObject({ event, replay: true, status: 200 });
  expect(local.requests.map(({ body }) => body)).toEqual([
    local.requests[0]?.body,
    local.requests[0]?.body,
  ] as string[]);
  expect((await flow.settled(event, 'delivered')).attempts).toHaveLength(1);
});

test('a test goes to the listener, or says that none is connected', async () => {
  const { id, token } = await makeListener();
  const alone = dataOf(await flow.browser.post(`/destinations/${id}/test`));
  expect(alone).toMatchObject({ outcome: 'failed', code: 'connection_refused' });
  const local = serve();
  begin(token, local.url);
  await connected(id);
  const tested = dataOf(await flow.browser.post(`/destinations/${id}/test`));
  expect(tested).toMatchObject({ outcome: 'delivered', status: 200, response: 'ok' });
  expect(JSON.parse(local.requests[0]?.body ?? '')).toMatchObject({ type: 'sluice.test' });
});

test('results count only from whoever holds the connection', async () => {
  const { token } = await makeListener();
  const other = await makeListener();
  const answer = async (as: string, connection: string) => {
    const response = await fetch(`${flow.service.url}/listen/results`, {
      method: 'POST',
      headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        connection,
        delivery: 'dlv_1',
        duration_ms: 1,
        outcome: { status: 200, body: '', retry_after: null },
      }),
    });
    const body = (await response.json()) as { data?: unknown; error?: { code: string } };
    return [response.status, body.error?.code ?? body.data];
  };
  expect(await answer(token, 'unknown')).toEqual([409, 'connection_not_here']);
  expect(await answer('sk_no', 'unknown')).toEqual([401, 'unauthenticated']);
  const response = await fetch(`${flow.service.url}/listen`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const reader = response.body?.getReader();
  const ready = new TextDecoder().decode((await reader?.read())?.value);
  const connection = /"connection":"([^"]+)"/.exec(ready)?.[1] ?? '';
  expect(await answer(other.token, connection)).toEqual([401, 'unauthenticated']);
  expect(await answer(token, connection)).toEqual([200, { taken: false }]);
  await reader?.cancel();
});

test('the token is shown once, and stands in no record', async () => {
  const { id, token } = await makeListener();
  const shown = await flow.browser.get(`/destinations/${id}`);
  expect(dataOf<{ config: unknown }>(shown).config).toEqual({ token: { set: true } });
  const stored = await flow.service.engine.configuration.findDestination(flow.orgId, id);
  expect(JSON.stringify(stored)).not.toContain(token.slice(0, 40));
  expect((await flow.browser.patch(`/destinations/${id}`, { config: { token: { set: true } } })).status).toBe(
    200,
  );
  expect((await flow.browser.patch(`/destinations/${id}`, { config: { token: 'mine' } })).status).toBe(400);
});

test('a service that is asked too often is asked again when it says, from the first try on', async () => {
  const asked: number[] = [];
  const busy = serve(() => {
    asked.push(performance.now());
    const error = { code: 'rate_limited', message: 'Too many attempts.' };
    return asked.length === 1
      ? Response.json({ error }, { status: 429, headers: { 'Retry-After': '2' } })
      : new Response(null, { status: 401 });
  });
  const { terminal, exit } = begin('lsn_any', 'http://127.0.0.1:9', busy.url);
  // The second answer ends it: the token is none.
  expect(await exit).toBe(1);
  expect(terminal.complaints[0]).toBe('Too many attempts.');
  expect((asked[1] ?? 0) - (asked[0] ?? 0)).toBeGreaterThan(1_900);
});
