import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { AuditRecord } from '@sluice/contract/dashboard-audit';
import type { EntityEventRecord, EntityRecord } from '@sluice/contract/entity';
import { type Browser, dataOf, join, listOf, openBrowser, setUp, stranger } from '../support/dashboard.ts';
import { acceptedIds, expectRefused, ingestWith } from '../support/endpoints.ts';
import { type EntityClient, entityClient } from '../support/entities.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let owner: Browser;
let member: Browser;
let viewer: Browser;
let theirs: Browser;
let apiKey = '';
let client: EntityClient;
beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
  member = await join(service.url, owner, 'member@example.com', 'member');
  viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
  theirs = await stranger(service.url, owner, 'stranger@example.com');
  apiKey = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' })).secret;
  client = entityClient(service.url, apiKey);
  await client.put('/person/a', { plan: 'pro', name: 'Ada' });
  await client.patch('/person/a', { plan: 'team' });
  await client.put('/person/b%2Fc', { plan: 'pro' });
  await client.send('PUT', '/person/a/links/same_as/person/b%2Fc');
});
afterAll(() => service.stop());

describe('people', () => {
  test('find entities by kind and trait', async () => {
    const found = async (query: string) =>
      listOf<EntityRecord>(await viewer.get(`/entities?${query}`)).data.map(({ external_id }) => external_id);
    expect(await found('')).toEqual(['b/c', 'a']);
    expect(await found('kind=person&trait.plan=team')).toEqual(['a']);
    expect(await found('trait.plan=none')).toEqual([]);
    const first = listOf(await viewer.get('/entities?limit=1'));
    expect(await found(`cursor=${first.next_cursor}`)).toEqual(['a']);
    expectRefused(await viewer.get('/entities?knd=person'), {
      status: 400,
      code: 'validation_failed',
      path: 'knd',
    });
  });

  test('see an entity with when each trait was written', async () => {
    const entity = dataOf<EntityRecord & { trait_times: Record<string, string> }>(
      await viewer.get('/entities/person/a'),
    );
    expect(entity).toMatchObject({ kind: 'person', external_id: 'a', version: 2, traits: { plan: 'team' } });
    expect(entity.trait_times.name).toBe(entity.created_at);
    expect(entity.trait_times.plan).toBe(entity.updated_at);
    expect(dataOf(await viewer.get('/entities/person/b%2Fc'))).toMatchObject({ external_id: 'b/c' });
  });

  test('see its links, graph, identity and events', async () => {
    expect(listOf(await viewer.get('/entities/person/b%2Fc/links')).data).toHaveLength(1);
    expect(
      dataOf<{ nodes: unknown[] }>(await viewer.get('/entities/person/a/graph?depth=3')).nodes,
    ).toHaveLength(2);
    expect(dataOf(await viewer.get('/entities/person/a/identity'))).toMatchObject({
      traits: { name: 'Ada' },
    });
    const entity = { kind: 'person', external_id: 'a' };
    await ingestWith(service.url, apiKey)({ events: [{ type: 'x', entity, payload: { n: 1 } }] });
    const [event] = listOf<EntityEventRecord>(
      await viewer.get('/entities/person/b%2Fc/events?identity=true'),
    ).data;
    expect(event).toMatchObject({ type: 'x', payload: { n: 1 } });
  });

  test('get 404 for what is not there, and 400 for what cannot be', async () => {
    for (const part of ['', '/links', '/graph', '/identity', '/events']) {
      expectRefused(await viewer.get(`/entities/person/x${part}`), { status: 404, code: 'not_found' });
      expectRefused(await viewer.get(`/entities/No/x${part}`), {
        status: 400,
        code: 'validation_failed',
        path: 'kind',
      });
    }
  });

  test('of another organisation see nothing of it', async () => {
    for (const part of ['', '/links', '/graph', '/identity', '/events']) {
      expectRefused(await theirs.get(`/entities/person/a${part}`), { status: 404, code: 'not_found' });
    }
    expectRefused(await theirs.delete('/entities/person/a'), { status: 404, code: 'not_found' });
    expect(listOf(await theirs.get('/entities?trait.plan=team')).data).toEqual([]);
  });

  test('need a session: a key opens nothing here', async () => {
    const visitor = openBrowser(service.url);
    for (const path of ['/entities', '/entities/person/a', '/entities/person/a/graph']) {
      const headers = { Authorization: `Bearer ${apiKey}` };
      expectRefused(await visitor.send('GET', path, { headers }), { status: 401, code: 'unauthenticated' });
    }
  });
});

describe('writing', () => {
  const audited = async (count: number) =>
    listOf<AuditRecord>(await owner.get(`/audit?limit=${count}`)).data.map(({ actor, action, target }) => ({
      actor,
      action,
      target,
    }));
  const actor = 'member@example.com';

  test('makes with 201, merges with 200, and is written down', async () => {
    const body = { kind: 'person', external_id: 'new/1', traits: { plan: 'free', seats: 1 } };
    const made = await member.post('/entities', body);
    expect(made.status).toBe(201);
    expect(made.headers.get('etag')).toBe('"1"');
    expect(dataOf(made)).toMatchObject({ ...body, version: 1 });
    const merged = await member.post('/entities', { ...body, traits: { plan: 'pro' } });
    expect(merged.status).toBe(200);
    expect(dataOf(merged)).toMatchObject({ traits: { plan: 'pro', seats: 1 }, version: 2 });
    expect(dataOf(await client.get('/person/new%2F1'))).toEqual(dataOf(merged));
    const entry = { actor, action: 'entity.written', target: 'person/new/1' };
    expect(await audited(2)).toEqual([entry, entry]);
  });

  test('takes many at once, all of them or none', async () => {
    const before = await audited(1);
    const many = (...ids: string[]) => ({
      entities: ids.map(external_id => ({ kind: 'team', external_id, traits: { n: 1 } })),
    });
    expectRefused(await member.post('/entities', many('ok', '..')), {
      status: 400,
      code: 'validation_failed',
      path: 'entities[1].external_id',
    });
    expectRefused(await member.post('/entities', { entities: [] }), {
      status: 400,
      code: 'validation_failed',
      path: 'entities',
    });
    expectRefused(await member.get('/entities/team/ok'), { status: 404, code: 'not_found' });
    expect(await audited(1)).toEqual(before);
    const answer = await member.post('/entities', many('a', 'b', 'a'));
    expect(answer.status).toBe(200);
    expect(dataOf<EntityRecord[]>(answer).map(({ version }) => version)).toEqual([1, 1, 2]);
    expect((await audited(3)).map(({ target }) => target)).toEqual([
      'team/b',
      'team/a',
      before[0]?.target ?? '',
    ]);
  });

  test('replaces all traits, at the version that is asked for', async () => {
    await member.post('/entities', { kind: 'person', external_id: 'r', traits: { a: 1, b: 2 } });
    const put = (version: string, traits: unknown) =>
      member.send('PUT', '/entities/person/r', { body: { traits }, headers: { 'If-Match': version } });
    expect(dataOf(await put('"1"', { b: null }))).toMatchObject({ traits: { b: null }, version: 2 });
    expectRefused(await put('"1"', {}), { status: 409, code: 'version_conflict' });
    expectRefused(await member.send('PUT', '/entities/person/none', { body: { traits: {} } }), {
      status: 404,
      code: 'not_found',
    });
    expect((await audited(1))[0]).toEqual({ actor, action: 'entity.changed', target: 'person/r' });
  });

  test('links and unlinks, each on record once it has changed something', async () => {
    for (const external_id of ['l/1', 'l2']) await member.post('/entities', { kind: 'person', external_id });
    const path = '/entities/person/l%2F1/links/knows/person/l2';
    const before = await audited(1);
    const put = (at = path) => member.send('PUT', at);
    expectRefused(await put(`${path}-not`), { status: 404, code: 'not_found' });
    expectRefused(await put('/entities/person/l2/links/knows/person/l2'), {
      status: 400,
      code: 'validation_failed',
      path: 'to.external_id',
    });
    expect(await audited(1)).toEqual(before);
    const made = await put();
    expect(made.status).toBe(201);
    expect(dataOf(made)).toMatchObject({ relation: 'knows', from: { external_id: 'l/1' } });
    expect((await put()).status).toBe(200);
    expect(dataOf(await member.delete(path))).toEqual({ deleted: true });
    expectRefused(await member.delete(path), { status: 404, code: 'not_found' });
    const [unlinked, linked] = listOf<AuditRecord>(await owner.get('/audit?limit=3')).data;
    const details = { relation: 'knows', to: 'person/l2' };
    expect(unlinked).toMatchObject({ actor, action: 'entity.unlinked', target: 'person/l/1', details });
    expect(linked).toMatchObject({ actor, action: 'entity.linked', target: 'person/l/1', details });
    expect((await audited(3))[2]).toEqual(before[0]);
    expectRefused(await viewer.send('PUT', path), { status: 403, code: 'forbidden' });
  });

  test('patches what is there, at the version that is asked for', async () => {
    await member.post('/entities', { kind: 'person', external_id: 'p', traits: { a: 1, b: 2 } });
    const patch = (version: string, traits: unknown, path = '/entities/person/p') =>
      member.send('PATCH', path, { body: { traits }, headers: { 'If-Match': version } });
    const patched = await patch('"1"', { a: null, c: 3 });
    expect(patched.status).toBe(200);
    expect(patched.headers.get('etag')).toBe('"2"');
    expect(dataOf(patched)).toMatchObject({ traits: { b: 2, c: 3 }, version: 2 });
    expect((await audited(1))[0]).toEqual({ actor, action: 'entity.changed', target: 'person/p' });
    expectRefused(await patch('1', { d: 4 }), { status: 409, code: 'version_conflict' });
    expectRefused(await patch('x', { d: 4 }), { status: 400, code: 'validation_failed', path: 'If-Match' });
    expectRefused(await patch('', {}, '/entities/person/none'), { status: 404, code: 'not_found' });
    expectRefused(await member.patch('/entities/person/p', {}), {
      status: 400,
      code: 'validation_failed',
      path: 'traits',
    });
    expectRefused(await patch('', { a: 'x'.repeat(65_536) }), {
      status: 413,
      code: 'payload_too_large',
      path: 'traits',
    });
    expectRefused(await theirs.patch('/entities/person/p', { traits: {} }), {
      status: 404,
      code: 'not_found',
    });
    expect((await audited(1))[0]?.action).toBe('entity.changed');
    expectRefused(await member.send('DELETE', '/entities/person/p', { headers: { 'If-Match': '1' } }), {
      status: 409,
      code: 'version_conflict',
    });
    expect(dataOf(await member.get('/entities/person/p'))).toMatchObject({ version: 2 });
  });

  test('keeps integers exact', async () => {
    const body = '{"kind":"person","external_id":"big","traits":{"n":12345678901234567890}}';
    expect((await member.post('/entities', body)).status).toBe(201);
    expect(await client.text('/person/big')).toContain('"n":12345678901234567890');
  });
});

describe('deleting', () => {
  test('takes a member, and is written down', async () => {
    await client.put('/person/gone%2F1', {});
    expectRefused(await viewer.delete('/entities/person/gone%2F1'), { status: 403, code: 'forbidden' });
    expectRefused(
      await member.send('DELETE', '/entities/person/gone%2F1', { headers: { 'X-Sluice-CSRF': '' } }),
      {
        status: 403,
        code: 'csrf_rejected',
      },
    );
    expect(dataOf(await member.delete('/entities/person/gone%2F1'))).toEqual({ deleted: true });
    expectRefused(await member.delete('/entities/person/gone%2F1'), { status: 404, code: 'not_found' });
    expect(listOf(await owner.get('/audit')).data[0]).toMatchObject({
      actor: 'member@example.com',
      action: 'entity.deleted',
      target: 'person/gone/1',
      details: {},
    });
  });

  test('can take the payloads of its events along', async () => {
    await client.put('/person/erased', {});
    const entity = { kind: 'person', external_id: 'erased' };
    const events = [{ type: 'x', entity, payload: { name: 'canary-31' } }];
    const [id = ''] = acceptedIds(await ingestWith(service.url, apiKey)({ events }));
    expect(dataOf(await member.delete('/entities/person/erased?erase_events=true'))).toEqual({
      deleted: true,
      erased_events: 1,
    });
    expect(JSON.stringify(dataOf(await owner.get(`/events/${id}`)))).not.toContain('canary-31');
    expect(listOf(await owner.get('/audit')).data[0]).toMatchObject({ details: { erased_events: 1 } });
  });
});

test('a trait that is declared searchable is indexed, also for entities that were there before', async () => {
  const { organisation } = dataOf<{ organisation: { id: string } }>(await owner.get('/session'));
  const isIndexed = async () => (await service.engine.entities.reindexEntities(organisation.id, 1)) === 0;
  const find = async () =>
    listOf<EntityRecord>(await viewer.get('/entities?trait.size=xl')).data.map(
      ({ external_id }) => external_id,
    );
  const entities = Array.from({ length: 1_200 }, (_, n) => ({
    kind: 'shirt',
    external_id: `${n}`,
    traits: { size: n === 7 ? 'xl' : 's' },
  }));
  await client.post({ entities: entities.slice(0, 1_000) });
  await client.post({ entities: entities.slice(1_000) });
  expect(await find()).toEqual(['7']);
  const change = { searchable_traits: ['size'] };
  expect((await owner.patch(`/organisations/${organisation.id}`, change)).status).toBe(200);
  expect(await find()).toEqual(['7']);
  await until(isIndexed, 'The entities were not indexed.');
  expect(await find()).toEqual(['7']);
  await client.put('/shirt/8', { size: 'xl' });
  expect(await find()).toEqual(['8', '7']);
});
