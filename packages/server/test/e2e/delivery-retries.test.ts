import { afterAll, beforeAll, expect, test } from 'bun:test';
import { newId } from '../../src/core/ids.ts';
import { cookieOf, dataOf, listOf } from '../support/dashboard.ts';
import { type DeliveryRecord, type Flow, startFlow } from '../support/flow.ts';
import { type Receiver, type Respond, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

let flow: Flow;
const receivers: Receiver[] = [];

beforeAll(async () => {
  flow = await startFlow();
});

afterAll(async () => {
  await flow.stop();
  for (const receiver of receivers) await receiver.stop();
});

/** A pipeline of its own for events of one type, to a receiver that answers like this. */
async function routed(type: string, respond: Respond, policy: Record<string, unknown> = {}) {
  const receiver = startReceiver(respond);
  receivers.push(receiver);
  const { id } = await flow.destination({
    kind: 'webhook',
    name: type,
    config: { url: receiver.url },
    policy: { attempts: 3, schedule_s: [0, 0.01], timeout_s: 2, ...policy },
  });
  await flow.routeTo({ id, when: `event.type == "${type}"` });
  const sent = () => receiver.requests.length;
  return { id, receiver, sent, send: () => flow.send({}, type) };
}

const exported = async (query: string): Promise<string> => {
  const url = `${flow.service.url}/dashboard/api/dead-letters/export?${query}`;
  return (await fetch(url, { headers: { Cookie: cookieOf(flow.browser) } })).text();
};

const of = async (eventId: string) => (await flow.deliveries(`event=${eventId}`))[0] as DeliveryRecord;

test('always 500: exactly as many attempts as the policy says, then one dead letter', async () => {
  const { id, sent, send } = await routed('always.500', () => new Response('no', { status: 500 }));
  const delivery = await flow.settled(await send(), 'dead');
  expect(sent()).toBe(3);
  expect(delivery).toMatchObject({ attempt: 3, code: 'bad_status', next_attempt_at: null });
  expect(delivery.attempts.map(({ n, status }) => [n, status])).toEqual([
    [1, 500],
    [2, 500],
    [3, 500],
  ]);
  const letters = listOf<DeliveryRecord>(await flow.browser.get(`/dead-letters?destination=${id}`)).data;
  expect(letters.map(letter => letter.id)).toEqual([delivery.id]);
});

test('a dead letter that is retried gets a fresh budget, and its attempts count on', async () => {
  let healthy = false;
  const { send } = await routed('recovered', () => new Response('', { status: healthy ? 204 : 503 }));
  const id = await send();
  const dead = await flow.settled(id, 'dead');
  healthy = true;
  await flow.browser.post(`/deliveries/${dead.id}/retry`);
  const delivered = await flow.settled(id, 'delivered');
  expect(delivered).toMatchObject({ id: dead.id, attempt: 4, code: null });
});

test('all dead letters that match are retried by a job that says how far it has come', async () => {
  let healthy = false;
  const { id, send } = await routed('many', () => new Response('', { status: healthy ? 200 : 500 }), {
    attempts: 1,
  });
  const events = await Promise.all(Array.from({ length: 12 }, send));
  for (const event of events) await flow.settled(event, 'dead');
  healthy = true;
  const job = dataOf<{ id: string; total: number }>(
    await flow.browser.post('/dead-letters/retry', { filter: { destination: id } }),
  );
  expect(job.total).toBe(12);
  for (const event of events) await flow.settled(event, 'delivered');
  const { rows } = { rows: await flow.service.engine.jobs.findJob(flow.orgId, job.id) };
  expect(rows).toMatchObject({ done: 12, failed: 0 });
});

test('Retry-After is honoured: no earlier attempt', async () => {
  const { sent, send } = await routed('asked.to.wait', () =>
    sent() === 1 ? new Response('', { status: 429, headers: { 'Retry-After': '1' } }) : new Response(''),
  );
  const { attempts } = await flow.settled(await send(), 'delivered');
  const [first, second] = attempts.map(({ at }) => Date.parse(at));
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(1_000);
});

test('a paused destination holds what comes, and gets it when it is resumed', async () => {
  const { id, sent, send } = await routed('held', () => new Response(''));
  await flow.browser.post(`/destinations/${id}/pause`);
  const event = await send();
  await flow.settled(event, 'held');
  expect(sent()).toBe(0);
  await flow.browser.post(`/destinations/${id}/resume`);
  await flow.settled(event, 'delivered');
  expect(sent()).toBe(1);
});

test('what waits for a destination that is deleted is cancelled, and nothing more is sent', async () => {
  const { id, sent, send } = await routed('gone', () => new Response('', { status: 500 }), {
    schedule_s: [0, 3_600],
  });
  const event = await send();
  await flow.settled(event, 'retrying');
  expect((await flow.browser.delete(`/destinations/${id}`)).status).toBe(200);
  expect((await of(event)).state).toBe('cancelled');
  expect(sent()).toBe(1);
  const later = await send();
  await until(
    async () => dataOf<{ state: string }>(await flow.browser.get(`/events/${later}`)).state === 'processed',
    'The event was not processed.',
  );
  expect(await flow.deliveries(`event=${later}`)).toEqual([]);
});

test('a discarded dead letter is cancelled for good', async () => {
  const { send } = await routed('discarded', () => new Response('', { status: 500 }), { attempts: 1 });
  const event = await send();
  const { id } = await flow.settled(event, 'dead');
  await flow.browser.post(`/deliveries/${id}/discard`);
  expect((await of(event)).state).toBe('cancelled');
  expect((await flow.browser.post(`/deliveries/${id}/retry`)).status).toBe(409);
});

test('a receiver that hangs is cut at its deadline', async () => {
  const policy = { attempts: 1, timeout_s: 0.3, concurrency: 2 };
  const { send } = await routed('hangs', () => new Promise<Response>(() => {}), policy);
  const stuck = await Promise.all(Array.from({ length: 6 }, send));
  for (const event of stuck) expect((await flow.settled(event, 'dead')).code).toBe('timeout');
});

test('a receiver that hangs slows no other one down', async () => {
  const { promise: theEnd, resolve: end } = Promise.withResolvers<void>();
  const policy = { attempts: 1, timeout_s: 60, concurrency: 2 };
  const hanging = await routed('hangs.long', () => theEnd.then(() => new Response('')), policy);
  const healthy = await routed('healthy', () => new Response(''));
  const stuck = await Promise.all(Array.from({ length: 6 }, hanging.send));
  const quick = await Promise.all(Array.from({ length: 40 }, healthy.send));
  for (const event of quick) await flow.settled(event, 'delivered');
  expect(hanging.sent()).toBeLessThanOrEqual(2);
  end();
  for (const event of stuck) await flow.settled(event, 'delivered');
});

test('a reset after the receiver has processed it brings the same event again, and one delivery', async () => {
  const seen: string[] = [];
  let first = true;
  const server = Bun.listen<undefined>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, bytes) {
        seen.push(/x-service-event-id: (\S+)/i.exec(bytes.toString())?.[1] ?? '');
        if (first) socket.terminate();
        else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        first = false;
      },
    },
  });
  const { id } = await flow.destination({
    kind: 'webhook',
    name: 'reset',
    config: { url: `http://127.0.0.1:${server.port}/` },
    policy: { schedule_s: [0, 0.01] },
  });
  await flow.routeTo({ id, when: 'event.type == "reset"' });
  const event = await flow.send({}, 'reset');
  const delivery = await flow.settled(event, 'delivered');
  expect(seen).toEqual([event, event]);
  expect(delivery.attempts.map(({ code }) => code)).toEqual(['connection_reset', null]);
  server.stop(true);
});

test('an address that may not be connected to is dead at once, and refused when it is saved', async () => {
  const answer = await flow.browser.post('/destinations', {
    kind: 'webhook',
    name: 'private',
    config: { url: 'https://10.0.0.1/hook' },
  });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ error: { path: 'config.url' } });
});

test('a test shows the real answer', async () => {
  const { id, receiver } = await routed('tested', () => new Response('teapot', { status: 418 }));
  const result = dataOf(await flow.browser.post(`/destinations/${id}/test`));
  expect(result).toMatchObject({ outcome: 'failed', status: 418, code: 'bad_status', response: 'teapot' });
  expect(JSON.parse(receiver.requests[0]?.body ?? '')).toMatchObject({ type: 'sluice.test' });
});

test('dead letters are exported as one JSON object a line', async () => {
  const { id, send } = await routed('exported', () => new Response('', { status: 500 }), { attempts: 1 });
  const events = await Promise.all([send(), send()]);
  for (const event of events) await flow.settled(event, 'dead');
  const lines = (await exported(`destination=${id}`)).trim().split('\n');
  expect(lines.map(line => (JSON.parse(line) as DeliveryRecord).event_id).sort()).toEqual([...events].sort());
});

test('what is exported is whole: the payload to the last digit, what was sent and what was answered', async () => {
  const text = 'x'.repeat(5_000);
  const { id } = await routed('exported.whole', () => new Response(text, { status: 500 }), { attempts: 1 });
  const { secret } = dataOf<{ secret: string }>(await flow.browser.post('/keys', { name: 'exact' }));
  const payload = `{"n":12345678901234567890,"text":"${text}"}`;
  const accepted = await fetch(`${flow.service.url}/v1/ingest`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
    body: `{"events":[{"type":"exported.whole","payload":${payload}}]}`,
  });
  const { data } = (await accepted.json()) as { data: { events: { id: string }[] } };
  const delivery = await flow.settled(data.events[0]?.id ?? '', 'dead');
  const line = await exported(`destination=${id}`);
  expect(line.endsWith(`,"payload":${payload}}\n`)).toBe(true);
  const { attempts } = JSON.parse(line) as DeliveryRecord;
  expect(attempts).toEqual(
    dataOf<DeliveryRecord>(await flow.browser.get(`/deliveries/${delivery.id}`)).attempts,
  );
  expect(attempts[0]?.request.body).toContain(payload);
  expect(attempts[0]).toMatchObject({ response: text, cut: false });
});

test('a pipeline that failed an event is in the dead letters, although another one routed it', async () => {
  const { send } = await routed('half.failed', () => new Response(''));
  const now = Date.now();
  const [source] = await flow.service.engine.configuration.listSources(flow.orgId);
  const id = newId('pipe', now);
  await flow.service.engine.configuration.createPipeline(
    {
      id,
      orgId: flow.orgId,
      name: 'Breaks',
      enabled: true,
      version: 1,
      definition: JSON.stringify({
        name: 'Breaks',
        sources: [source?.id],
        steps: [
          { kind: 'filter.match', config: { condition: 'event.type == "half.failed"' } },
          { kind: 'no.such.step', config: {} },
        ],
        destinations: [],
      }),
      createdAt: now,
      updatedAt: now,
    },
    'test',
  );
  const event = await send();
  await flow.settled(event, 'delivered');
  const letters = listOf<{ kind: string; event_id: string; failures: { pipeline: { id: string } }[] }>(
    await flow.browser.get('/dead-letters'),
  ).data;
  const letter = letters.find(one => one.event_id === event);
  expect(letter?.kind).toBe('event');
  expect(letter?.failures.map(({ pipeline }) => pipeline.id)).toEqual([id]);
  expect(await exported(`event=${event}`)).toEqual(`${JSON.stringify({ ...letter, payload: {} })}\n`);
  expect(dataOf(await flow.browser.get(`/events/${event}`))).toMatchObject({ state: 'processed' });
});
