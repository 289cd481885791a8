import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { listOf } from '../support/dashboard.ts';
import { expectRefused, toAnswer } from '../support/endpoints.ts';
import { type EntityClient, entityClient } from '../support/entities.ts';
import { exchange } from '../support/raw-http.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let seed: Seed;
let client: EntityClient;
beforeAll(async () => {
  service = await startTestService();
  seed = await seedOrganisation(service.engine);
  client = entityClient(service.url, seed.apiKey);
});
afterAll(() => service.stop());

const refusal = (path: string) => ({ status: 400, code: 'validation_failed', path });
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

describe('keys', () => {
  const unauthenticated = { status: 401, code: 'unauthenticated' };

  test('are asked for at every call, before anything else is looked at', async () => {
    const calls: [string, string][] = [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/customer/1'],
      ['PUT', '/customer/1'],
      ['PATCH', '/customer/1'],
      ['DELETE', '/customer/1'],
      ['GET', '/customer/1/links'],
      ['GET', '/customer/1/graph?depth=9'],
      ['GET', '/customer/1/identity'],
      ['GET', '/Not A Kind/1/events'],
      ['PUT', '/customer/1/links/same_as/customer/2'],
      ['DELETE', '/customer/1/links/same_as/customer/2'],
    ];
    for (const [method, path] of calls) {
      for (const Authorization of ['', 'Bearer sk_wrong', `Basic ${btoa(seed.apiKey)}`, seed.apiKey]) {
        const answer = await client.send(method, path, { headers: { Authorization } });
        expectRefused(answer, unauthenticated);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
    }
  });

  test('that are revoked hold no longer', async () => {
    const other = await seedOrganisation(service.engine);
    const their = entityClient(service.url, other.apiKey);
    expect((await their.get('')).status).toBe(200);
    const [key] = await service.engine.configuration.listApiKeys(other.orgId);
    await service.engine.configuration.revokeApiKey(other.orgId, key?.id ?? '', Date.now());
    expectRefused(await their.get(''), unauthenticated);
  });

  test('are seen to be in use', async () => {
    const other = await seedOrganisation(service.engine);
    await entityClient(service.url, other.apiKey).get('');
    const deadline = Date.now() + 5_000;
    let lastUsedAt: number | null = null;
    while (lastUsedAt === null && Date.now() < deadline) {
      lastUsedAt = (await service.engine.configuration.listApiKeys(other.orgId))[0]?.lastUsedAt ?? null;
    }
    expect(lastUsedAt).not.toBeNull();
  });
});

describe('methods and paths', () => {
  const allowed: [string, string][] = [
    ['', 'GET, POST'],
    ['/customer/1', 'GET, PUT, PATCH, DELETE'],
    ['/customer/1/links', 'GET'],
    ['/customer/1/graph', 'GET'],
    ['/customer/1/identity', 'GET'],
    ['/customer/1/events', 'GET'],
    ['/customer/1/links/same_as/customer/2', 'PUT, DELETE'],
  ];
  for (const [path, methods] of allowed) {
    test(`${path || '/'} offers ${methods} with every 405`, async () => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (methods.split(', ').includes(method)) continue;
        const answer = await client.send(method, path);
        expectRefused(answer, { status: 405, code: 'method_not_allowed' });
        expect(answer.headers.get('allow')).toBe(methods);
      }
    });
  }

  test('that lead nowhere are 404 in the envelope', async () => {
    for (const path of [
      '/',
      '/customer',
      '/customer/1/x',
      '/customer/1/links/same_as',
      '/customer/1/links/',
    ]) {
      expectRefused(await client.get(path), { status: 404, code: 'not_found' });
    }
    const elsewhere = await fetch(`${service.url}/v1/entitiesx`, {
      headers: { Authorization: `Bearer ${seed.apiKey}` },
    });
    expectRefused(await toAnswer(elsewhere), { status: 404, code: 'not_found' });
  });

  test('name the part that cannot be', async () => {
    expectRefused(await client.get('//x'), refusal('kind'));
    expectRefused(await client.get('/Customer/x'), refusal('kind'));
    expectRefused(await client.put('/customer/', {}), refusal('external_id'));
    expectRefused(await client.put('/customer/a%00b', {}), refusal('external_id'));
    expectRefused(await client.put('/customer/%C3%28', {}), refusal('external_id'));
    expectRefused(await client.put(`/customer/${'x'.repeat(257)}`, {}), refusal('external_id'));
    expectRefused(await client.send('PUT', '/customer/1/links/No/customer/2'), refusal('relation'));
    expectRefused(await client.send('PUT', '/customer/1/links/same_as/No/2'), refusal('to.kind'));
    expectRefused(
      await client.send('PUT', '/customer/1/links/same_as/customer/1'),
      refusal('to.external_id'),
    );
  });

  test('as no client would send them break nothing', async () => {
    const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${seed.apiKey}\r\n\r\n`;
    for (const path of ['/v1/entities/%zz/%', '/v1/entities/customer/../../x', '/v1/entities/%2e%2e/%2e']) {
      const { status, body } = await exchange(service.service.port, `GET ${path} ${head}`);
      expect([400, 404]).toContain(status);
      expect(JSON.parse(body)).toHaveProperty('error.code');
    }
  });
});

describe('bodies', () => {
  const put = (body: unknown, headers = {}) => client.send('PUT', '/customer/1', { body, headers });

  test('have to be JSON in UTF-8', async () => {
    expectRefused(await put('{"traits":'), { status: 400, code: 'invalid_json' });
    expectRefused(await put(''), { status: 400, code: 'invalid_json' });
    expectRefused(await put({}, { 'Content-Type': 'text/plain' }), {
      status: 415,
      code: 'unsupported_media_type',
    });
    expectRefused(await put({}, { 'Content-Type': 'application/x-www-form-urlencoded' }), {
      status: 415,
      code: 'unsupported_media_type',
    });
    const patch = await put({ traits: {} }, { 'Content-Type': 'application/merge-patch+json' });
    expect(patch.status).toBeLessThan(300);
    const zipped = await fetch(`${service.url}/v1/entities/customer/zipped`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${seed.apiKey}`, 'Content-Encoding': 'gzip' },
      body: gzipSync('{"traits":{"a":1}}'),
    });
    expect(zipped.status).toBe(201);
  });

  const bad: [string, unknown, string | undefined][] = [
    ['no traits', {}, 'traits'],
    ['traits that are null', { traits: null }, 'traits'],
    ['traits that are a list', { traits: [] }, 'traits'],
    ['traits that are a text', { traits: 'x' }, 'traits'],
    ['a field that is not known', { traits: {}, trait: {} }, 'trait'],
    ['a kind beside the path', { traits: {}, kind: 'customer' }, 'kind'],
    ['a list', [], undefined],
    ['null', null, undefined],
    ['NUL in a text', '{"traits":{"a":"\\u0000"}}', 'traits.a'],
    ['half a surrogate pair', '{"traits":{"a":"\\ud800"}}', 'traits.a'],
    ['a number beyond a double', '{"traits":{"a":1e999}}', 'traits.a'],
  ];
  for (const [what, body, path] of bad) {
    test(`with ${what} are refused by PUT and PATCH`, async () => {
      const expected = { status: 400, code: 'validation_failed', ...(path ? { path } : {}) };
      expectRefused(await put(body), expected);
      expectRefused(await client.send('PATCH', '/customer/1', { body }), expected);
    });
  }

  test('that are missing are said to be required', async () => {
    for (const answer of [await put({}), await client.send('PATCH', '/customer/1', { body: {} })])
      expect(answer.body).toMatchObject({ error: { message: 'traits is required.' } });
  });

  const posts: [string, unknown, string][] = [
    ['no kind', { external_id: '1' }, 'kind'],
    ['an empty kind', { kind: '', external_id: '1' }, 'kind'],
    ['a kind of two dots', { kind: '..', external_id: '1' }, 'kind'],
    ['no external_id', { kind: 'customer' }, 'external_id'],
    ['an external_id that is a number', { kind: 'customer', external_id: 1 }, 'external_id'],
    ['an external_id of one dot', { kind: 'customer', external_id: '.' }, 'external_id'],
    ['a control character', { kind: 'customer', external_id: 'a\nb' }, 'external_id'],
    ['traits that are null', { kind: 'customer', external_id: '1', traits: null }, 'traits'],
    ['a field that is not known', { kind: 'customer', external_id: '1', version: 1 }, 'version'],
    ['an empty list', { entities: [] }, 'entities'],
    ['a list that is none', { entities: {} }, 'entities'],
    ['something beside the list', { entities: [{ kind: 'a', external_id: '1' }], kind: 'a' }, 'kind'],
    [
      'a bad one in the list',
      { entities: [{ kind: 'a', external_id: '1' }, { kind: 'a' }] },
      'entities[1].external_id',
    ],
  ];
  for (const [what, body, path] of posts) {
    test(`with ${what} are refused by POST`, async () => {
      expectRefused(await client.post(body), refusal(path));
    });
  }

  test('may be nested as deep as a payload, counted from the traits', async () => {
    const deep = nested(64) as Record<string, unknown>;
    const deeper = nested(65) as Record<string, unknown>;
    expect((await client.put('/customer/deep', deep)).status).toBe(201);
    expectRefused(await client.put('/customer/deep', deeper), refusal('traits'));
    const entity = (traits: unknown) => ({ kind: 'customer', external_id: 'deep', traits });
    expect((await client.post({ entities: [entity(deep)] })).status).toBe(200);
    expectRefused(await client.post(entity(deeper)), refusal('traits'));
    expectRefused(
      await client.post({ entities: [entity({}), entity(deeper)] }),
      refusal('entities[1].traits'),
    );
  });

  test('may come to 64 KiB of traits, and to 5 MiB in all', async () => {
    const large = { status: 413, code: 'payload_too_large' };
    const text = (bytes: number) => 'x'.repeat(bytes - '{"a":""}'.length);
    expect((await client.put('/customer/large', { a: text(65_536) })).status).toBe(201);
    expectRefused(await client.put('/customer/large', { a: text(65_537) }), { ...large, path: 'traits' });
    expectRefused(await client.patch('/customer/large', { b: 1 }), { ...large, path: 'traits' });
    expectRefused(await client.post({ kind: 'customer', external_id: 'large', traits: { b: 1 } }), {
      ...large,
      path: 'traits',
    });
    expectRefused(await client.put('/customer/large', { a: 'x'.repeat(5 * 1024 * 1024) }), large);
  });
});

describe('a large body', () => {
  const traits = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`trait_${n}`, `value ${n}`]));
  const many = (count: number, each: unknown) =>
    Array.from({ length: count }, (_, n) => ({ kind: 'bulk', external_id: `${n}`, traits: each }));

  test('of a thousand entities with fifty traits each is written, in order', async () => {
    const { status, body } = await client.post({ entities: many(1_000, traits(50)) });
    expect(status).toBe(200);
    const { data } = body as { data: { external_id: string; traits: unknown; version: number }[] };
    expect(data.map(({ external_id, version }) => [external_id, version])).toEqual(
      Array.from({ length: 1_000 }, (_, n) => [`${n}`, 1]),
    );
    expect(data[999]?.traits).toEqual(traits(50));
  });

  test('is refused as a small one is', async () => {
    const all = many(500, traits(20));
    const spoilt = (entity: unknown) => ({ entities: [...all, entity] });
    const wrong: [unknown, string][] = [
      [{ kind: 'Not A Kind', external_id: '1' }, 'entities[500].kind'],
      [{ kind: 'bulk', external_id: '1', more: 1 }, 'entities[500].more'],
      [{ kind: 'bulk', external_id: '1', traits: nested(65) }, 'entities[500].traits'],
      [{ kind: 'bulk', external_id: '1', traits: { a: '\0' } }, 'entities[500].traits.a'],
    ];
    for (const [entity, path] of wrong) expectRefused(await client.post(spoilt(entity)), refusal(path));
    const invalid = { status: 400, code: 'invalid_json' };
    expectRefused(await client.send('POST', '', { body: '['.repeat(200_000) }), invalid);
    expectRefused(await client.send('PUT', '/bulk/x', { body: '"'.repeat(200_001) }), invalid);
    expectRefused(await client.post({ entities: many(1_001, traits(10)) }), refusal('entities'));
    expectRefused(await client.post(spoilt({ kind: 'bulk', external_id: '1', traits: traits(5_000) })), {
      status: 413,
      code: 'payload_too_large',
      path: 'entities[500].traits',
    });
  });

  test('of traits that are taken away is one of traits that may be there', async () => {
    const gone = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`trait_${n}`, null]));
    expect((await client.put('/bulk/gone', { ...traits(1_000), kept: 1 })).status).toBe(201);
    const { body } = await client.patch('/bulk/gone', gone(10_000));
    expect(body).toMatchObject({ data: { traits: { kept: 1 }, version: 2 } });
    const refused = await client.patch('/bulk/gone', gone(50_000));
    expectRefused(refused, { status: 413, code: 'payload_too_large', path: 'traits' });
    expect(refused.body).toMatchObject({
      error: { message: 'traits may hold at most 262144 bytes of changes in one write.' },
    });
    expectRefused(await client.patch('/bulk/never', gone(50_000)), { status: 404, code: 'not_found' });
  });
});

describe('queries', () => {
  const bad: [string, string][] = [
    ['limit=-1', 'limit'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1e9', 'limit'],
    ['limit=abc', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['kind=', 'kind'],
    ['external_id=', 'external_id'],
    ['updated_after=yesterday', 'updated_after'],
    ['updated_after=2026-02-30T00:00:00Z', 'updated_after'],
    ['knd=customer', 'knd'],
    ['__proto__=1', '__proto__'],
    ['trait.a=1&trait.a=2', '["trait.a"]'],
    [`trait.a=${'x'.repeat(1_025)}`, '["trait.a"]'],
  ];
  for (const [query, path] of bad) {
    test(`?${query.slice(0, 40)} is refused`, async () => {
      const { body, status } = await client.get(`?${query}`);
      const { error } = body as { error: { code: string; path: string } };
      expect([status, error.code]).toEqual([400, 'validation_failed']);
      expect([path, path.replace(/^\["|"\]$/g, '')]).toContain(error.path);
    });
  }

  test('with odd filters find nothing and break nothing', async () => {
    await client.put('/customer/1', { name: 'Ada' });
    for (const query of [
      "trait.name=' OR '1'='1",
      'trait.name="; DROP TABLE entities; --',
      "trait.na'me=Ada",
      'trait.na"me=Ada',
      'trait.=Ada',
      'trait.a[=Ada',
      'trait.__proto__=x',
      'trait.name=%25',
      'trait.name=_da',
      "kind='",
      'kind=customer"',
      "external_id=1' --",
    ]) {
      const encoded = query.replace(
        /(.*?)=(.*)/s,
        (_, name, value) => `${encodeURIComponent(name)}=${value}`,
      );
      expect([query, listOf(await client.get(`?${encoded}`)).data]).toEqual([query, []]);
    }
    expect(listOf(await client.get('?trait.name=Ada')).data).toHaveLength(1);
  });

  test('with cursors that we did not issue are refused', async () => {
    await client.post({ entities: ['x', 'y', 'z'].map(external_id => ({ kind: 'paged', external_id })) });
    for (const name of ['y', 'z']) await client.send('PUT', `/paged/x/links/knows/paged/${name}`);
    const { next_cursor: ours } = listOf(await client.get('?limit=1'));
    const { next_cursor: links } = listOf(await client.get('/paged/x/links?limit=1'));
    const forged = [ours?.replace(/^./, 'Z'), `${ours}0`, ours?.slice(0, -1), links, 'x', '', '.'];
    for (const cursor of forged) {
      expectRefused(await client.get(`?cursor=${encodeURIComponent(cursor ?? '')}`), {
        status: 400,
        code: 'invalid_cursor',
        path: 'cursor',
      });
    }
    for (const path of ['/paged/y/links', '/paged/x/events', '/paged/x/links?direction=out']) {
      const { status } = await client.get(`${path}${path.includes('?') ? '&' : '?'}cursor=${links}`);
      expect([path, status]).toEqual([path, 400]);
    }
  });

  test('of the other calls are checked too', async () => {
    await client.put('/customer/1', {});
    for (const depth of ['0', '6', '-1', '1.5', 'x', '']) {
      expectRefused(await client.get(`/customer/1/graph?depth=${depth}`), refusal('depth'));
    }
    expectRefused(await client.get('/customer/1/links?direction=up'), refusal('direction'));
    expectRefused(await client.get('/customer/1/events?identity=yes'), refusal('identity'));
    expectRefused(await client.delete('/customer/1?erase_events=1'), refusal('erase_events'));
    for (const [method, path] of [
      ['GET', '/customer/1'],
      ['PUT', '/customer/1'],
      ['PATCH', '/customer/1'],
      ['DELETE', '/customer/1'],
      ['POST', ''],
      ['GET', '/customer/1/identity'],
      ['GET', '/customer/1/graph'],
      ['PUT', '/customer/1/links/knows/customer/2'],
    ] as const) {
      const options = method === 'GET' || method === 'DELETE' ? {} : { body: { traits: {} } };
      expectRefused(await client.send(method, `${path}?force=true`, options), refusal('force'));
    }
    expect((await client.get('/customer/1')).status).toBe(200);
  });
});
