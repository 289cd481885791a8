import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { EventRecord } from '@sluice/contract/dashboard-letters';
import type { ProviderRecord } from '@sluice/contract/dashboard-providers';
import { READ_IN_PLACE_BYTES } from '../../src/core/http/read-body.ts';
import { type Sample, samples } from '../contract/provider/samples.ts';
import { type Browser, dataOf, join, setUp } from '../support/dashboard.ts';
import { storedPayload } from '../support/endpoints.ts';
import { type ProviderSources, providerSources, requestOf, send } from '../support/provider-sources.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Sources of every provider at one real server: what is taken, what is refused and why, what is kept. */

let service: TestService;
let owner: Browser;
let orgId: string;
let create: ProviderSources['create'];
let eventsOf: ProviderSources['eventsOf'];
let reasonsOf: ProviderSources['reasonsOf'];
beforeAll(async () => {
  service = await startTestService({ settings: { SLUICE_DROP_HEADERS: 'x-internal-*, X-Left-Out' } });
  owner = await setUp(service);
  ({ orgId, create, eventsOf, reasonsOf } = await providerSources(service, owner));
});
afterAll(() => service.stop());

const eventRecord = async (id: string) => dataOf<EventRecord>(await owner.get(`/events/${id}`));

describe('each provider', () => {
  // Its certificate would have to be fetched from Amazon: see `sns.test.ts`.
  for (const sample of samples.filter(({ name }) => name !== 'sns')) {
    test(sample.name, async () => {
      const { private_key: _, ...keys } = sample.keys;
      const source = await create({ auth: 'provider', provider: sample.name, ...keys });
      const { headers, body, url } = requestOf(sample, source.url);
      const answer = await send(url, body, headers);
      expect(answer.status).toBe(sample.status ?? 202);
      const events = await eventsOf(source);
      expect(events.map(({ type }) => type).sort()).toEqual([...sample.types].sort());

      const { headers: kept } = await eventRecord(events[0]?.id ?? '');
      expect(kept).toMatchObject(sample.headers ?? {});
      const signature = sample.signatureHeader;
      if (signature !== null) expect(Object.keys(kept ?? {})).not.toContain(signature);

      if (sample.isKeyed) {
        expect((await send(url, body, headers)).status).toBe(sample.status ?? 202);
        expect(await eventsOf(source)).toHaveLength(sample.types.length);
      }
      if (!sample.isOpen) {
        const forged = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== signature));
        const refused = await send(source.url, signature === null ? '{}' : body, forged);
        expect(refused.status).toBe(401);
        expect(await refused.json()).toEqual({
          error: { code: 'unauthenticated', message: 'Authentication is missing or not valid.' },
        });
        expect(await eventsOf(source)).toHaveLength(sample.types.length);
      }
    });
  }
});

describe('a secret that stands in the body itself is struck out before the event is stored', () => {
  const stored = async (source: { id: string }) =>
    Promise.all((await eventsOf(source)).map(({ id }) => storedPayload(service.engine, orgId, id)));

  test('Microsoft Graph: the client state, in large bodies too, and what comes again comes again', async () => {
    const source = await create({ auth: 'provider', provider: 'microsoft-graph', secret: 'first state' });
    const body = (state: string, room = '') =>
      `{ "value": [ {"clientState" :"${state}","changeType":"updated", "n":1.50e1},${room}
        {"n":12345678901234567890,"clientState":"${state}"} ] }`;
    const room = ' '.repeat(READ_IN_PLACE_BYTES);
    const take = async (text: string, key: string) => {
      const headers = { 'content-type': 'application/json', 'x-ingest-idempotency-key': key };
      const answer = await send(source.url, text, headers);
      expect(answer.status).toBe(202);
      return (await answer.json()) as { data: { duplicate: boolean } };
    };
    await take(body('first state'), 'small');
    await take(body('first state', room), 'large');
    expect((await stored(source)).sort()).toEqual([body('…'), body('…', room)].sort());

    dataOf(await owner.post(`/sources/${source.id}/rotate`, { secret: 'second state', overlap_s: 60 }));
    for (const state of ['first state', 'second state'])
      expect((await take(body(state), 'small')).data.duplicate).toBe(true);
    await take(body('second state'), 'next');
    expect((await stored(source)).filter(payload => payload === body('…'))).toHaveLength(2);
  });

  test('Gitea: what older versions send beside the signature, and nothing else of that name', async () => {
    const secret = 'of the hook';
    const source = await create({
      auth: 'provider',
      provider: 'gitea',
      secret,
      type_from: { path: 'payload.ref' },
    });
    const body = (text: string) => `{"secret": "${text}", "ref":"main", "commit":{"secret":"kept"}}`;
    const headers = {
      'content-type': 'application/json',
      'x-gitea-signature': createHmac('sha256', secret).update(body(secret)).digest('hex'),
    };
    expect((await send(source.url, body(secret), headers)).status).toBe(202);
    const form = new URLSearchParams({ payload: body(secret) }).toString();
    const asForm = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-gitea-signature': createHmac('sha256', secret).update(form).digest('hex'),
    };
    expect((await send(source.url, form, asForm)).status).toBe(202);
    expect(await stored(source)).toEqual([body('…'), body('…')]);
  });
});

describe('a rejected request', () => {
  test('says in the dashboard which part did not fit, and nothing of that to its sender', async () => {
    const stripe = samples.find(({ name }) => name === 'stripe') as Sample;
    const source = await create({ auth: 'provider', provider: 'stripe', secret: 'whsec_stripe' });
    const at = async (now: number, secret: string) => {
      const { headers } = stripe.sign(
        { url: '', body: stripe.body, at: Math.floor(now / 1_000) },
        { secret },
      );
      const answer = await send(source.url, stripe.body, { ...headers });
      return [answer.status, JSON.stringify(await answer.json()).includes('stripe-signature')];
    };
    expect(await at(Date.now() - 3_600_000, 'whsec_stripe')).toEqual([401, false]);
    expect(await at(Date.now(), 'whsec_other')).toEqual([401, false]);
    expect((await send(source.url, stripe.body, {})).status).toBe(401);
    const reasons = await reasonsOf(source, 3);
    expect(reasons[2]).toMatch(/^The timestamp in stripe-signature is \d+ s old/);
    expect(reasons[1]).toContain(
      'does not match its timestamp and this body with this source’s secret or key',
    );
    expect(reasons[0]).toContain('The header stripe-signature is missing');
  });

  test('of an hmac source says so too, and a timestamped signature stays a 401 there', async () => {
    const source = await create({ auth: 'hmac' });
    const hex = createHmac('sha256', source.secret ?? '')
      .update('{}')
      .digest('hex');
    const status = async (signature: string) =>
      (await send(source.url, '{}', { 'x-ingest-signature': signature })).status;
    expect(await status(`t=${Math.floor(Date.now() / 1_000)},v1=${hex}`)).toBe(401);
    expect(await status(`sha256=${hex}`)).toBe(401);
    expect(await status(hex)).toBe(202);
    for (const reason of await reasonsOf(source, 2))
      expect(reason).toContain('in lowercase hex and nothing else');
  });
});

describe('bodies', () => {
  test('CloudEvents in structured, binary and batch mode', async () => {
    const source = await create({ auth: 'provider', provider: 'cloudevents', verify_with: 'none' });
    const event = (id: string) => ({
      specversion: '1.0',
      type: 'com.example.made',
      source: '/store',
      id,
      time: '2026-01-31T12:00:00Z',
      subject: 'order/1',
      data: { n: 9007199254740993n },
    });
    const text = (id: string) =>
      JSON.stringify(event(id), (_, v) => (typeof v === 'bigint' ? '@' : v)).replace(
        '"@"',
        '9007199254740993',
      );
    const structured = { 'content-type': 'application/cloudevents+json' };
    const one = await (await send(source.url, text('1'), structured)).json();
    expect(one).toEqual({ data: { id: expect.stringMatching(/^evt_/), duplicate: false } });
    const record = await eventRecord(one.data.id);
    expect(record).toMatchObject({
      type: 'com.example.made',
      timestamp: '2026-01-31T12:00:00.000Z',
      sender_id: '/store 1',
      headers: { 'ce-subject': 'order/1', 'ce-source': '/store', 'ce-specversion': '1.0' },
    });
    const batch = await send(source.url, `[${text('1')},${text('2')}]`, {
      'content-type': 'application/cloudevents-batch+json',
    });
    const { data } = (await batch.json()) as { data: { events: { id: string; duplicate: boolean }[] } };
    expect(data.events.map(({ duplicate }) => duplicate)).toEqual([true, false]);
    const bad = `[${text('3')},{"specversion":"1.0","type":"x","source":"/y"}]`;
    const refused = await send(source.url, bad, { 'content-type': 'application/cloudevents-batch+json' });
    expect([refused.status, (await refused.json()).error.path]).toEqual([400, '[1].id']);
    const binary = await send(source.url, '{"n":3}', {
      'content-type': 'application/json',
      'ce-specversion': '1.0',
      'ce-type': 'com.example.binary',
      'ce-source': '/caf%C3%A9',
      'ce-id': '3',
    });
    const kept = await eventRecord((await binary.json()).data.id);
    expect(kept).toMatchObject({
      type: 'com.example.binary',
      sender_id: '/café 3',
      payload: { n: 3 },
      headers: { 'ce-source': '/café' },
    });
    expect((await send(source.url, '{}', { 'content-type': 'application/json' })).status).toBe(400);
    expect(await eventsOf(source)).toHaveLength(3);
  });

  test('JSON that says it is text, and x-gzip, at any source', async () => {
    const source = await create({ auth: 'none' });
    const status = async (body: BodyInit, headers: Record<string, string>) =>
      (await fetch(source.url, { method: 'POST', body, headers })).status;
    expect(await status('{"type":"sns"}', { 'content-type': 'text/plain; charset=UTF-8' })).toBe(202);
    expect(await status('{"type":"t"}', { 'content-type': 'text/json' })).toBe(202);
    expect(await status(Bun.gzipSync('{"type":"z"}'), { 'content-encoding': 'x-gzip' })).toBe(202);
    expect(await status('hello', { 'content-type': 'text/plain' })).toBe(415);
    expect((await eventsOf(source)).map(({ type }) => type).sort()).toEqual(['sns', 't', 'z']);
  });

  test('a list is all or nothing', async () => {
    const sample = samples.find(({ name }) => name === 'mandrill') as Sample;
    const source = await create({ auth: 'provider', provider: 'mandrill', secret: sample.keys.secret });
    const bad = `mandrill_events=${encodeURIComponent('[{"event":"send","_id":"1"},{"event":"\\ud800"}]')}`;
    const { headers, body } = requestOf({ ...sample, body: bad }, source.url);
    const answer = await send(source.url, body, headers);
    expect([answer.status, (await answer.json()).error.path]).toEqual([400, '[1].event']);
    expect(await eventsOf(source)).toEqual([]);
  });
});

describe('the type of an event', () => {
  test('is taken from where its source says, else from the body', async () => {
    const source = await create({
      auth: 'none',
      // biome-ignore lint/suspicious/noThenProperty: the name on the wire.
      type_from: { header: 'X-Kind', prefix: 'mine.', then: 'payload.action' },
    });
    await send(source.url, '{"type":"own","action":"made"}', { 'x-kind': 'order' });
    await send(source.url, '{"type":"own"}', { 'x-kind': 'order' });
    await send(source.url, '{"type":"own"}', {});
    await owner.patch(`/sources/${source.id}`, { type_from: { path: 'payload.a["b.c"][0]' } });
    await send(source.url, '{"a":{"b.c":["deep"]}}', {});
    expect((await eventsOf(source)).map(({ type }) => type).sort()).toEqual([
      'deep',
      'mine.order',
      'mine.order.made',
      'own',
    ]);
    expect((await owner.patch(`/sources/${source.id}`, { type_from: { path: 'a.b' } })).status).toBe(400);
    await owner.patch(`/sources/${source.id}`, { type_from: null });
    expect(dataOf(await owner.get(`/sources/${source.id}`))).not.toHaveProperty('type_from');
  });
});

describe('a scheme of one’s own', () => {
  test('with the timestamp in a header of its own, or in the same one', async () => {
    const at = Math.floor(Date.now() / 1_000);
    const hex = (text: string) => createHmac('sha512', 'chosen').update(text).digest('hex');
    const two = await create({
      auth: 'custom',
      secret: 'chosen',
      scheme: {
        header: 'X-Acme-Signature',
        algorithm: 'sha512',
        encoding: 'hex',
        prefix: 'v9=',
        signed: 'v9:{timestamp}:{body}',
        timestamp_header: 'X-Acme-Time',
        tolerance_s: 60,
      },
    });
    expect(two.secret).toBeUndefined();
    const sent = async (when: number) =>
      (
        await send(two.url, '{}', {
          'x-acme-signature': `v9=${hex(`v9:${when}:{}`)}`,
          'x-acme-time': String(when),
        })
      ).status;
    expect([await sent(at), await sent(at - 90)]).toEqual([202, 401]);
    const [event] = await eventsOf(two);
    expect((await eventRecord(event?.id ?? '')).headers).not.toHaveProperty('x-acme-signature');
    const one = await create({
      auth: 'custom',
      secret: 'chosen',
      scheme: {
        header: 'x-acme',
        algorithm: 'sha512',
        encoding: 'hex',
        signed: '{timestamp}.{body}',
        format: 't={timestamp},v1={signature}',
      },
    });
    expect((await send(one.url, '{}', { 'x-acme': `t=${at},v1=${hex(`${at}.{}`)}` })).status).toBe(202);
    const [signed] = await eventsOf(one);
    expect((await eventRecord(signed?.id ?? '')).headers).not.toHaveProperty('x-acme');
  });

  test('is checked before it is stored', async () => {
    const scheme = { header: 'x', algorithm: 'sha256', encoding: 'hex', signed: '{body}' };
    const refused = async (change: object) => {
      const answer = await owner.post('/sources', {
        kind: 'webhook',
        name: 'x',
        auth: 'custom',
        scheme: { ...scheme, ...change },
      });
      return [answer.status, (answer.body as { error: { path: string } }).error.path];
    };
    expect(await refused({ signed: 'nothing' })).toEqual([400, 'scheme.signed']);
    expect(await refused({ signed: '{timestamp}{body}' })).toEqual([400, 'scheme.timestamp_header']);
    expect(await refused({ algorithm: 'md5' })).toEqual([400, 'scheme.algorithm']);
    expect(await refused({ format: 't={timestamp}' })).toEqual([400, 'scheme.format']);
    expect(await refused({ format: '{signature}{signature}' })).toEqual([400, 'scheme.format']);
  });
});

describe('received headers', () => {
  test('are kept in lower case, without credentials and what the operator leaves out', async () => {
    const source = await create({ auth: 'none' });
    const answer = await send(source.url, '{}', {
      'X-Kept': 'yes',
      Authorization: 'Bearer x',
      Cookie: 'a=b',
      'Proxy-Authorization': 'x',
      'X-Hub-Signature-256': 'sha256=x',
      'X-Some-Signature': 'x',
      'X-Internal-Route': 'x',
      'x-left-out': 'x',
    });
    const { headers } = await eventRecord((await answer.json()).data.id);
    expect(headers).toMatchObject({ 'x-kept': 'yes' });
    for (const name of [
      'authorization',
      'cookie',
      'proxy-authorization',
      'x-hub-signature-256',
      'x-some-signature',
      'x-internal-route',
      'x-left-out',
    ])
      expect(Object.keys(headers ?? {})).not.toContain(name);
  });
});

describe('setting one up', () => {
  test('the providers are listed, with what each asks for', async () => {
    const providers = dataOf<ProviderRecord[]>(await owner.get('/kinds/providers'));
    expect(providers.length).toBeGreaterThanOrEqual(25);
    expect(providers.find(({ name }) => name === 'github')?.fields.secret?.is_chosen).toBe(true);
    expect(providers.find(({ name }) => name === 'discord')?.fields).toHaveProperty('public_key');
  });

  test('a secret is made where people choose it, and asked for where the provider makes it', async () => {
    const made = await create({ auth: 'provider', provider: 'meta', secret: 's' });
    expect(made).toMatchObject({ provider: 'meta', verify_token: { set: true } });
    expect(made.new_verify_token).toMatch(/^verify_/);
    expect(made).not.toHaveProperty('secret');
    expect((await create({ auth: 'provider', provider: 'github' })).secret).toMatch(/^whsec_/);
    const refused = async (input: object) => {
      const answer = await owner.post('/sources', { kind: 'webhook', name: 'x', ...input });
      return [answer.status, (answer.body as { error: { path: string } }).error.path];
    };
    expect(await refused({ auth: 'provider', provider: 'stripe' })).toEqual([400, 'secret']);
    expect(await refused({ auth: 'provider', provider: 'nobody' })).toEqual([400, 'provider']);
    expect(await refused({ auth: 'provider' })).toEqual([400, 'provider']);
    expect(await refused({ auth: 'provider', provider: 'discord' })).toEqual([400, 'public_key']);
    expect(await refused({ auth: 'provider', provider: 'discord', public_key: 'zz' })).toEqual([
      400,
      'public_key',
    ]);
    expect(await refused({ auth: 'provider', provider: 'github', url: 'https://a.b/' })).toEqual([
      400,
      'url',
    ]);
    expect(await refused({ auth: 'custom' })).toEqual([400, 'scheme']);
    expect(await refused({ auth: 'hmac', secret: 'mine' })).toEqual([400, 'secret']);
  });

  test('a secret left out of a change is kept, one that is rotated holds beside the next', async () => {
    const stripe = samples.find(({ name }) => name === 'stripe') as Sample;
    const source = await create({ auth: 'provider', provider: 'stripe', secret: 'whsec_stripe' });
    const status = async (secret: string) => {
      const at = Math.floor(Date.now() / 1_000);
      const { headers } = stripe.sign({ url: '', body: stripe.body, at }, { secret });
      return (await send(source.url, stripe.body, { ...headers })).status;
    };
    await owner.patch(`/sources/${source.id}`, { provider: 'stripe', name: 'renamed' });
    expect(await status('whsec_stripe')).toBe(202);
    expect((await owner.post(`/sources/${source.id}/rotate`, {})).status).toBe(400);
    const rotated = await owner.post(`/sources/${source.id}/rotate`, { secret: 'whsec_next' });
    expect(dataOf(rotated)).not.toHaveProperty('secret');
    expect([await status('whsec_stripe'), await status('whsec_next')]).toEqual([202, 202]);
    await owner.post(`/sources/${source.id}/rotate`, { secret: 'whsec_last', overlap_s: 0 });
    expect([await status('whsec_next'), await status('whsec_last')]).toEqual([401, 202]);
  });

  test('no answer and no record of a change says a secret again, whoever asks', async () => {
    const source = await create({
      auth: 'provider',
      provider: 'meta',
      secret: 'pasted-secret-of-meta',
      verify_token: 'agreed-verify-token',
    });
    await owner.patch(`/sources/${source.id}`, {
      secret: 'pasted-again-of-meta',
      verify_token: 'agreed-again',
    });
    const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
    const texts = await Promise.all(
      ['/sources', `/sources/${source.id}`, '/audit'].flatMap(path =>
        [owner, viewer].map(async browser => JSON.stringify((await browser.get(path)).body)),
      ),
    );
    for (const text of [JSON.stringify(source), ...texts]) {
      for (const secret of ['pasted-secret', 'pasted-again', 'agreed-']) expect(text).not.toContain(secret);
    }
    expect((await viewer.post('/sources', { kind: 'webhook', name: 'x' })).status).toBe(403);
  });
});
