import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { z } from 'zod';
import { until } from '../../server/test/support/until.ts';
import { type Client, type ClientOptions, createClient, type Dropped } from './client.ts';

interface Received {
  readonly headers: Headers;
  readonly url: string;
  readonly events: readonly Record<string, unknown>[];
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A client before a real server that answers as it is told. */
function clientWith<Options extends Partial<ClientOptions>>(
  options: Options = {} as Options,
  answer: (received: Received, n: number) => Response | Promise<Response> = () => accepted(),
) {
  const received: Received[] = [];
  const dropped: Dropped[] = [];
  const failures: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { events } = (await request.json()) as Received;
      const one = { headers: request.headers, url: request.url, events };
      return answer(one, received.push(one));
    },
  });
  const client: Client = createClient({
    url: server.url.href,
    key: 'sk_test',
    batchMs: 5,
    maxPauseMs: 1,
    exitTimeoutMs: 0,
    onDrop: one => dropped.push(one),
    onError: ({ message }) => failures.push(message),
    ...options,
  });
  closing.push(
    () => client.close({ timeout: 0 }),
    () => server.stop(true),
  );
  return { client, received, dropped, failures };
}

const accepted = () => Response.json({ data: { events: [] } }, { status: 202 });
const failure = (status: number, error?: object, headers = {}) =>
  Response.json({ error }, { status, headers });

describe('an event', () => {
  test('arrives with all that was said about it', async () => {
    const { client, received } = clientWith();
    const entity = { kind: 'customer', external_id: 'c_42' };
    const timestamp = new Date('2026-01-31T12:00:00Z');
    expect(client.track('order.paid', { order: 1 }, { icon: '💳', entity, id: 'o-1', timestamp })).toBe(true);
    client.track('order.sent', { order: 1 }, { timestamp: '2026-01-31T13:00:00+01:00' });
    await client.flush();
    expect(received.flatMap(({ events }) => events)).toEqual([
      {
        type: 'order.paid',
        payload: { order: 1 },
        icon: '💳',
        entity,
        id: 'o-1',
        timestamp: '2026-01-31T12:00:00.000Z',
      },
      { type: 'order.sent', payload: { order: 1 }, timestamp: '2026-01-31T13:00:00+01:00' },
    ]);
    const [{ headers, url } = { headers: new Headers(), url: '' }] = received;
    expect(new URL(url).pathname).toBe('/v1/ingest');
    expect(headers.get('authorization')).toBe('Bearer sk_test');
    expect(headers.get('content-type')).toBe('application/json');
    expect(client.waiting).toBe(0);
  });

  test('has the time of the call where none is given', async () => {
    const { client, received } = clientWith();
    const before = Date.now();
    client.track('order.paid', {});
    const after = Date.now();
    await client.flush();
    const at = Date.parse(String(received[0]?.events[0]?.timestamp));
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(after);
  });
});

/** An object that cannot be read, and whose reason cannot be either. */
const throwing = (name: string, reason: unknown = Object.create(null)): object =>
  Object.defineProperty({}, name, {
    enumerable: true,
    get() {
      throw reason;
    },
  });

describe('track never throws, and tells of', () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const cases: [string, unknown, unknown, unknown][] = [
    ['a payload that is a text', 'x', 'text', undefined],
    ['a payload that is an array', 'x', [], undefined],
    ['a payload that holds itself', 'x', circular, undefined],
    ['a BigInt', 'x', { n: 1n }, undefined],
    ['an invalid date', 'x', {}, { timestamp: new Date(Number.NaN) }],
    ['a timestamp that is a number', 'x', {}, { timestamp: 7 }],
    ['an empty type', '', {}, undefined],
    ['a type that is no text', 7, {}, undefined],
    ['a payload that throws when it is read', 'x', throwing('text'), undefined],
  ];
  for (const [what, type, payload, options] of cases) {
    test(what, () => {
      const { client, dropped } = clientWith();
      expect(client.track(type as string, payload as object, options as object)).toBe(false);
      expect(dropped).toMatchObject([{ type, payload, reason: 'invalid' }]);
    });
  }

  test('options that throw when they are read, whatever becomes of the event', async () => {
    const { client, dropped } = clientWith({ queueEvents: 1 });
    const unreadable = new Error('unreadable');
    Object.defineProperty(unreadable, 'message', Object.getOwnPropertyDescriptor(throwing('x'), 'x') ?? {});
    for (const options of [throwing('icon'), throwing('more'), throwing('icon', unreadable)])
      expect(client.track('x', {}, options)).toBe('more' in options);
    expect(client.track('x', {}, throwing('more'))).toBe(false);
    await client.close({ timeout: 60_000 });
    expect(client.track('x', {}, throwing('icon'))).toBe(false);
    expect(dropped.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'x invalid',
      'x invalid',
      'x queue_full',
      'x closed',
    ]);
  });

  test('nothing where a payload or the options are null', async () => {
    const { client, received } = clientWith();
    expect(client.track('x', null as unknown as object, null as unknown as undefined)).toBe(true);
    await client.flush();
    expect(received[0]?.events).toMatchObject([{ type: 'x', payload: {} }]);
  });

  test('an event that finds no room', () => {
    const { client, dropped } = clientWith({ queueEvents: 1 });
    client.track('a', {});
    expect(client.track('b', { n: 1 }, { id: 'b-1' })).toBe(false);
    expect(dropped).toMatchObject([{ type: 'b', payload: { n: 1 }, id: 'b-1', reason: 'queue_full' }]);
  });

  test('an event after the end', async () => {
    const { client, dropped } = clientWith();
    await client.close();
    expect(client.track('late', {})).toBe(false);
    expect(dropped).toMatchObject([{ type: 'late', reason: 'closed' }]);
  });

  test('it even where those who are told throw', async () => {
    const complain = spyOn(console, 'error').mockImplementation(() => {});
    const { client, received } = clientWith(
      {
        onDrop() {
          throw new Error('from onDrop');
        },
        onError: (() => Promise.reject(new Error('from onError'))) as () => void,
      },
      (_, n) => (n === 1 ? failure(500) : accepted()),
    );
    expect(client.track('', {})).toBe(false);
    client.track('x', {});
    await client.flush();
    expect(received).toHaveLength(2);
    expect(complain).toHaveBeenCalledTimes(2);
    complain.mockRestore();
  });
});

describe('a schema', () => {
  const schemas = {
    'order.paid': z.object({ order: z.number(), currency: z.string().default('EUR') }),
    constructor: z.object({}),
  };

  test('lets what fits pass, as it made it', async () => {
    const { client, received } = clientWith({ schemas: schemas as object });
    client.track('order.paid', { order: 1, secret: 'x' });
    client.track('toString', { any: 'thing' });
    await client.flush();
    expect(received[0]?.events.map(({ payload }) => payload)).toEqual([
      { order: 1, currency: 'EUR' },
      { any: 'thing' },
    ]);
  });

  test('names the field that does not fit', () => {
    const { client, dropped } = clientWith({ schemas: schemas as object });
    expect(client.track('order.paid', { order: 'one' })).toBe(false);
    expect(dropped[0]?.message).toStartWith('order: ');
  });

  test('that has to wait is refused', () => {
    const slow = z.object({}).refine(async () => true);
    const { client, dropped } = clientWith({ schemas: { slow } as object });
    expect(client.track('slow', {})).toBe(false);
    expect(dropped[0]?.message).toContain('promise');
  });
});

describe('a batch is sent again, with the same key and the same bytes,', () => {
  const answers: Record<string, () => Response | Promise<Response>> = {
    'after a 500': () => failure(500),
    'after a 503 that asks to wait': () =>
      failure(503, { code: 'storage_unavailable' }, { 'retry-after': '0' }),
    'after a 429 until a date that has passed': () =>
      failure(429, undefined, { 'retry-after': new Date(0).toUTCString() }),
    'after a 401, since a key can be put right': () =>
      failure(401, { code: 'unauthenticated', message: 'No.' }),
    'after a 400 that is not the server’s own': () => new Response('<html>', { status: 400 }),
    'after a 200 of somebody else’s': () => new Response('<html>'),
    'after a redirect, which nobody follows': () =>
      new Response(null, { status: 307, headers: { location: '/elsewhere' } }),
    'after an answer that never comes': () => new Promise<Response>(() => {}),
  };
  for (const [what, answer] of Object.entries(answers)) {
    test(what, async () => {
      // Short only where it has to pass: a machine under load may be slow to answer.
      const timeoutMs = what.includes('never') ? 500 : 60_000;
      const { client, received, dropped, failures } = clientWith({ timeoutMs }, (_, n) =>
        n === 1 ? answer() : accepted(),
      );
      client.track('x', { n: 1 });
      await client.flush();
      expect(received.length).toBeGreaterThanOrEqual(2);
      expect(received[1]?.events).toEqual(received[0]?.events ?? []);
      expect(received[1]?.url).toBe(received[0]?.url ?? '');
      const keys = received.map(({ headers }) => headers.get('x-ingest-idempotency-key'));
      expect(keys[0]).toMatch(/./);
      expect(keys[1]).toBe(keys[0] ?? '');
      expect(dropped).toEqual([]);
      expect(failures.length).toBeGreaterThanOrEqual(1);
    });
  }
});

describe('the server refuses', () => {
  test('one event, which goes to onDrop alone', async () => {
    const error = {
      message: 'events[1].icon is too long.',
      code: 'validation_failed',
      path: 'events[1].icon',
    };
    const { client, received, dropped } = clientWith({}, ({ events }) =>
      events[1]?.icon === 'bad' ? failure(400, error) : accepted(),
    );
    client.track('a', {});
    client.track('b', { n: 2 }, { icon: 'bad' });
    client.track('c', {});
    await client.flush();
    expect(dropped).toMatchObject([
      { type: 'b', payload: { n: 2 }, icon: 'bad', reason: 'refused', message: error.message },
    ]);
    expect(dropped[0]?.failure).toEqual({ status: 400, ...error });
    expect(received.map(({ events }) => events.map(({ type }) => type).join(''))).toEqual(['abc', 'ac']);
  });

  test('what is too large for a proxy, which is sent in smaller parts', async () => {
    const { client, dropped, received } = clientWith({}, ({ events }) =>
      events.length > 1 ? new Response('', { status: 413 }) : accepted(),
    );
    for (const type of ['a', 'b', 'c']) client.track(type, {});
    await client.flush();
    expect(dropped).toEqual([]);
    expect(received.filter(({ events }) => events.length === 1)).toHaveLength(3);
  });

  test('a key that stands for something else, and nothing is sent twice', async () => {
    const { client, dropped, received } = clientWith({}, () =>
      failure(409, { message: 'Used before.', code: 'idempotency_conflict' }),
    );
    client.track('a', {});
    await client.flush();
    expect(received).toHaveLength(1);
    expect(dropped).toMatchObject([{ type: 'a', reason: 'refused' }]);
  });
});

describe('closing', () => {
  test('sends what is there', async () => {
    const { client, received } = clientWith({ batchMs: 60_000 });
    client.track('a', {});
    expect(await client.close({ timeout: 10_000 })).toEqual({ left: 0 });
    expect(received).toHaveLength(1);
  });

  test('may take as long as it likes', async () => {
    const { client, received } = clientWith({}, (_, n) => (n < 20 ? failure(500) : accepted()));
    client.track('a', {});
    expect(await client.close({ timeout: Number.POSITIVE_INFINITY })).toEqual({ left: 0 });
    expect(received).toHaveLength(20);
  });

  test('gives up when its time is over, and tells what is left', async () => {
    const { client, dropped } = clientWith({}, () => new Promise<Response>(() => {}));
    client.track('a', { n: 1 });
    expect(await client.close({ timeout: 20 })).toEqual({ left: 1 });
    expect(dropped).toMatchObject([{ type: 'a', payload: { n: 1 }, reason: 'closed' }]);
    expect(client.waiting).toBe(0);
  });

  test('at the end of a process takes no more either, once its time is over', async () => {
    const { client, dropped } = clientWith({ exitTimeoutMs: 20 }, () => new Promise<Response>(() => {}));
    client.track('a', {});
    process.emit('beforeExit', 0);
    await until(() => client.waiting === 0, 'It was never given up.');
    expect(client.track('b', {})).toBe(false);
    expect(dropped.map(({ type, reason }) => `${type} ${reason}`)).toEqual(['a closed', 'b closed']);
  });
});

describe('in a page', () => {
  beforeAll(() => void Object.assign(globalThis, { document: new EventTarget() }));
  afterAll(() => void Reflect.deleteProperty(globalThis, 'document'));

  test('requests outlive it, as far as browsers let them', async () => {
    const sent: boolean[] = [];
    const { client } = clientWith({
      batchEvents: 1,
      async fetch(_url, { keepalive = false }) {
        sent.push(keepalive);
        return accepted();
      },
    });
    for (const bytes of [30_000, 20_000, 30_000, 5_000]) client.track('x', { text: 'x'.repeat(bytes) });
    await client.flush();
    client.track('x', { text: 'x'.repeat(30_000) });
    await client.flush();
    expect(sent).toEqual([true, true, false, true, true]);
  });
});

test('what is no JSON of a call for entities is a SluiceError too', async () => {
  const { client } = clientWith({ fetch: async () => new Response('<html>') });
  await expect(client.entities.get({ kind: 'a', external_id: 'b' })).rejects.toMatchObject({
    name: 'SluiceError',
    status: 200,
  });
});

test('a process that comes to its end and goes on after all has sent everything, and its client goes on too', async () => {
  const { client, received } = clientWith({ batchMs: 3_600_000, exitTimeoutMs: 60_000 });
  for (const n of [1, 2]) {
    expect(client.track('x', { n })).toBe(true);
    process.emit('beforeExit', 0);
    await until(() => client.waiting === 0, 'Nothing was sent.');
    expect(received).toHaveLength(n);
  }
});

test('a client without a key, or with an address that is none, is refused at once', () => {
  expect(() => createClient({ url: 'http://localhost', key: '' })).toThrow('key');
  expect(() => createClient({ url: 'localhost', key: 'k' })).toThrow();
});

test('a client with a limit under which nothing would ever be sent is refused at once', () => {
  const connection = { url: 'http://localhost', key: 'k' };
  for (const wrong of [
    { concurrency: 0 },
    { batchMs: -1 },
    { queueBytes: Number.NaN },
    { exitTimeoutMs: -1 },
  ])
    expect(() => createClient({ ...connection, ...wrong })).toThrow(Object.keys(wrong)[0]);
  expect(() => createClient({ ...connection, timeoutMs: '5' as unknown as number })).toThrow('timeoutMs');
});
