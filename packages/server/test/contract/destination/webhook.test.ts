import { afterEach, describe, expect, test } from 'bun:test';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readConfig } from '../../../src/core/kinds/kind.ts';
import { webhookDestination } from '../../../src/delivery/destinations/webhook.ts';
import {
  destinationDeps,
  payloadText,
  prepareFrom,
  refusalOf,
  sampleDelivery,
} from '../../support/delivery.ts';
import { guardedClient } from '../../support/guarded-client.ts';
import { type ReceivedRequest, type Receiver, type Respond, startReceiver } from '../../support/receiver.ts';

let receiver: Receiver | undefined;
afterEach(async () => receiver?.stop());

function receive(respond?: Respond): Receiver {
  receiver = startReceiver(respond);
  return receiver;
}

const owner = { orgId: sampleDelivery().orgId, id: 'dst_01JZX6C1D2E3F4G5H6J7K8M9NP' };

const urlOf = ({ port }: Receiver) => `http://hooks.test:${port}/in?a=1`;

/** Written from the documentation alone, as a receiver would write it. */
function verify(secret: string, request: ReceivedRequest, nowS: number): boolean {
  const header = request.headers.get('X-Service-Signature') ?? '';
  let time = '';
  const candidates: string[] = [];
  for (const part of header.split(',')) {
    const [name, value = ''] = part.split('=');
    if (name === 't') time = value;
    if (name === 'v1') candidates.push(value);
  }
  if (Math.abs(nowS - Number(time)) > 300) return false;
  const expected = createHmac('sha256', secret).update(`${time}.${request.body}`).digest('hex');
  return candidates.some(
    candidate =>
      candidate.length === expected.length && timingSafeEqual(Buffer.from(candidate), Buffer.from(expected)),
  );
}

describe('a webhook gets', () => {
  test('the type and the payload as they are, and who it is about in the headers', async () => {
    const { requests, port } = receive();
    const destination = prepareFrom(webhookDestination, { url: `http://hooks.test:${port}/in?a=1` });
    const delivery = sampleDelivery({ attempt: 3 });
    expect(await destination.send(delivery)).toMatchObject({
      outcome: 'delivered',
      status: 200,
      response: 'ok',
    });
    const [request] = requests;
    expect(request?.path).toBe('/in?a=1');
    expect(request?.method).toBe('POST');
    expect(request?.body).toBe(`{"type":"order.paid","payload":${delivery.payload}}`);
    expect(request?.body).toContain('9007199254740993');
    expect(Object.keys(JSON.parse(request?.body ?? ''))).toEqual(['type', 'payload']);
    expect(request?.headers.get('content-type')).toBe('application/json');
    expect(request?.headers.get('x-service-event-id')).toBe(delivery.event.id);
    expect(request?.headers.get('x-service-delivery-id')).toBe(delivery.id);
    expect(request?.headers.get('x-service-attempt')).toBe('3');
    expect(request?.headers.get('x-service-signature')).toBeNull();
    expect(request?.headers.get('authorization')).toBeNull();
  });

  test('its token, which no record repeats', async () => {
    const at = receive();
    const auth = { mode: 'bearer', secret: 'canary-token' };
    const result = await prepareFrom(webhookDestination, { url: urlOf(at), auth }).send(sampleDelivery());
    expect(at.requests[0]?.headers.get('authorization')).toBe('Bearer canary-token');
    expect(JSON.stringify(result)).not.toContain('canary-token');
  });

  test('a signature that the documented recipe accepts, over any body', async () => {
    const at = receive();
    const destination = prepareFrom(webhookDestination, {
      url: urlOf(at),
      auth: { mode: 'hmac', secret: 'canary-secret' },
    });
    const payloads = [{}, { a: 'ü€😀' }, { n: 12345678901234567890n }, { deep: [[[{ '': '\u2028' }]]] }];
    for (const payload of payloads) {
      const result = await destination.send(sampleDelivery({ payload: payloadText(payload) }));
      expect(result.outcome).toBe('delivered');
      expect(JSON.stringify(result)).not.toContain('canary-secret');
    }
    const nowS = Date.now() / 1_000;
    expect(at.requests.map(request => verify('canary-secret', request, nowS))).toEqual(
      payloads.map(() => true),
    );
    expect(at.requests.some(request => verify('another secret', request, nowS))).toBe(false);
  });

  test('a fresh time with each attempt', async () => {
    const at = receive();
    let now = 1_800_000_000_000;
    const destination = prepareFrom(
      webhookDestination,
      { url: urlOf(at), auth: { mode: 'hmac', secret: 'secret' } },
      destinationDeps({ clock: { now: () => now } }),
    );
    await destination.send(sampleDelivery());
    now += 30_000;
    await destination.send(sampleDelivery({ attempt: 2 }));
    const times = at.requests.map(({ headers }) => headers.get('x-service-signature')?.split(',')[0]);
    expect(times).toEqual(['t=1800000000', 't=1800000030']);
  });

  test('two signatures while a secret is being rotated, and one afterwards', async () => {
    const at = receive();
    const made = webhookDestination.generateSecret?.(
      readConfig(webhookDestination, { url: urlOf(at), auth: { mode: 'hmac' } }, 'config'),
      owner,
    );
    expect(made?.secret).toMatch(/^whsec_/);
    if (!made) throw new Error('A secret should have been made.');
    expect(webhookDestination.generateSecret?.(made.config, owner)).toBeNull();
    let now = 1_800_000_000_000;
    const rotated = webhookDestination.rotate?.(made.config, now + 1_000, owner);
    if (!rotated) throw new Error('The secret should have been rotated.');
    const destination = webhookDestination.prepare(
      rotated.config,
      destinationDeps({ clock: { now: () => now } }),
    );
    const sent = async () => {
      await destination.send(sampleDelivery());
      const request = at.requests.at(-1);
      if (!request) throw new Error('Nothing arrived.');
      return [rotated.secret, made.secret].map(secret => verify(secret, request, now / 1_000));
    };
    expect(await sent()).toEqual([true, true]);
    now += 1_000;
    expect(await sent()).toEqual([true, false]);
  });
});

describe('a webhook’s answer', () => {
  const answering = async (respond: Respond) =>
    prepareFrom(webhookDestination, { url: urlOf(receive(respond)) }).send(sampleDelivery());

  test('counts as delivered with any 2xx and no other', async () => {
    for (const status of [200, 201, 202, 204, 299]) {
      expect(await answering(() => new Response(status === 204 ? null : 'x', { status }))).toMatchObject({
        outcome: 'delivered',
        status,
      });
    }
    for (const status of [301, 304, 400, 401, 404, 410, 429, 500, 503]) {
      const result = await answering(
        () => new Response(null, { status, headers: { location: 'http://127.0.0.1/' } }),
      );
      expect(result).toMatchObject({ outcome: 'failed', code: 'bad_status', status });
    }
  });

  test('is kept, with how long it asks us to wait', async () => {
    const busy = () => new Response('too busy', { status: 429, headers: { 'retry-after': '7' } });
    expect(await answering(busy)).toMatchObject({ response: 'too busy', retryAfterMs: 7_000 });
    const date = new Date(Date.now() + 60_000).toUTCString();
    const later = await answering(() => new Response('', { status: 503, headers: { 'retry-after': date } }));
    const asked = later.outcome === 'failed' ? (later.retryAfterMs ?? 0) : 0;
    expect(asked).toBeGreaterThan(55_000);
    expect(asked).toBeLessThanOrEqual(60_000);
    expect(await answering(() => new Response('', { status: 500 }))).toMatchObject({ retryAfterMs: null });
  });

  test('shows what was sent', async () => {
    expect(await answering(() => new Response('no', { status: 500 }))).toMatchObject({
      request: {
        target: expect.stringMatching(/^POST http:\/\/hooks\.test:\d+\/in\?a=1$/),
        headers: { 'x-service-attempt': '1' },
        body: expect.stringContaining('"type":"order.paid"'),
      },
    });
  });
});

describe('a webhook is refused when saved', () => {
  const strict = destinationDeps({
    client: guardedClient({ allow: [], allowHttp: false, lookup: async () => ['9.9.9.9'] }),
  });
  const cases: [unknown, string][] = [
    [{ url: 'http://example.com/' }, '400 config.url'],
    [{ url: 'https://127.1/' }, '400 config.url'],
    [{ url: 'https://user:pw@example.com/' }, '400 config.url'],
    [{ url: 'nonsense' }, '400 config.url'],
    [{}, '400 config.url'],
    [{ url: 'https://example.com/', auth: { mode: 'basic' } }, '400 config.auth.mode'],
    [{ url: 'https://example.com/', auth: { mode: 'bearer' } }, '400 config.auth.secret'],
    [
      { url: 'https://example.com/', auth: { mode: 'bearer', secret: 'a\r\nX-Evil: 1' } },
      '400 config.auth.secret',
    ],
    [{ url: 'https://example.com/', auth: { mode: 'none', secret: 'x' } }, '400 config.auth.secret'],
    [{ url: 'https://example.com/', headers: {} }, '400 config.headers'],
  ];
  for (const [config, at] of cases) {
    test(JSON.stringify(config), async () =>
      expect(await refusalOf(webhookDestination, config, strict)).toMatchObject({ at }),
    );
  }

  test('but not where there is nothing wrong with it', async () => {
    expect(await refusalOf(webhookDestination, { url: 'https://example.com/hook' }, strict)).toBeNull();
  });
});
