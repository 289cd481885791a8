import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type EntityLinkRecord,
  type EntityRecord,
  entityGraph,
  entityIdentity,
  entityLink,
} from '@sluice/contract/entity';
import { dataOf, listOf } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { type EntityClient, entityClient } from '../support/entities.ts';
import { seedOrganisation, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** A client of an organisation that has these people. */
async function clientWith(...names: string[]): Promise<EntityClient> {
  const client = entityClient(service.url, (await seedOrganisation(service.engine)).apiKey);
  await client.post({ entities: names.map(external_id => ({ kind: 'person', external_id })) });
  return client;
}

const link = (client: EntityClient, from: string, relation: string, to: string, method = 'PUT') =>
  client.send(method, `/person/${from}/links/${relation}/person/${to}`);

const person = (external_id: string) => ({ kind: 'person', external_id });
const shown = ({ from, relation, to }: EntityLinkRecord) =>
  `${from.external_id}>${relation}>${to.external_id}`;

describe('links', () => {
  test('are made with 201, found with 200, and deleted once', async () => {
    const client = await clientWith('a', 'b');
    const made = await link(client, 'a', 'member_of', 'b');
    expect(made.status).toBe(201);
    expect(entityLink.strict().parse(dataOf(made))).toMatchObject({
      relation: 'member_of',
      from: person('a'),
      to: person('b'),
    });
    const again = await link(client, 'a', 'member_of', 'b');
    expect([again.status, again.body]).toEqual([200, made.body]);
    const deleted = await link(client, 'a', 'member_of', 'b', 'DELETE');
    expect([deleted.status, deleted.body]).toEqual([200, { data: { deleted: true } }]);
    expectRefused(await link(client, 'a', 'member_of', 'b', 'DELETE'), { status: 404, code: 'not_found' });
  });

  test('need both ends', async () => {
    const client = await clientWith('a');
    for (const method of ['PUT', 'DELETE']) {
      expectRefused(await link(client, 'a', 'knows', 'x', method), { status: 404, code: 'not_found' });
      expectRefused(await link(client, 'x', 'knows', 'a', method), { status: 404, code: 'not_found' });
    }
    expectRefused(await client.get('/person/x/links'), { status: 404, code: 'not_found' });
  });

  test('are listed in both directions, or in the one that is asked for', async () => {
    const client = await clientWith('a', 'b', 'c');
    await link(client, 'a', 'knows', 'b');
    await link(client, 'c', 'knows', 'a');
    await link(client, 'b', 'same_as', 'a');
    const all = async (query = '') =>
      (await client.readAll<EntityLinkRecord>(`/person/a/links?${query}`)).map(shown).toSorted();
    expect(await all()).toEqual(['a>knows>b', 'b>same_as>a', 'c>knows>a']);
    expect(await all('limit=1')).toEqual(['a>knows>b', 'b>same_as>a', 'c>knows>a']);
    expect(await all('direction=out')).toEqual(['a>knows>b', 'b>same_as>a']);
    expect(await all('direction=in&limit=1')).toEqual(['b>same_as>a', 'c>knows>a']);
    expect(listOf(await client.get('/person/a/links')).next_cursor).toBeNull();
  });

  test('of same_as are one link, from whichever end', async () => {
    const client = await clientWith('a', 'b');
    expect((await link(client, 'a', 'same_as', 'b')).status).toBe(201);
    expect((await link(client, 'b', 'same_as', 'a')).status).toBe(200);
    expect((await link(client, 'b', 'same_as', 'a', 'DELETE')).status).toBe(200);
    expectRefused(await link(client, 'a', 'same_as', 'b', 'DELETE'), { status: 404, code: 'not_found' });
  });

  test('go with either entity', async () => {
    const client = await clientWith('a', 'b');
    await link(client, 'a', 'knows', 'b');
    await client.delete('/person/b');
    expect(listOf(await client.get('/person/a/links')).data).toEqual([]);
  });
});

test('the graph is walked one step by default, and as far as five', async () => {
  const client = await clientWith('a', 'b', 'c', 'd', 'e', 'f', 'g');
  for (const [from = '', to = ''] of ['ab', 'cb', 'cd', 'de', 'ef', 'fg'])
    await link(client, from, 'knows', to);
  const graph = async (query = '') => {
    const found = entityGraph.strict().parse(dataOf(await client.get(`/person/a/graph${query}`)));
    expect(found.edges).toHaveLength(found.nodes.length - 1);
    expect(found.truncated).toBe(false);
    return found.nodes.map(({ external_id }) => external_id).join('');
  };
  expect(await graph()).toBe('ab');
  expect(await graph('?depth=2')).toBe('abc');
  expect(await graph('?depth=5')).toBe('abcdef');
  expectRefused(await client.get('/person/x/graph'), { status: 404, code: 'not_found' });
});

describe('an identity', () => {
  const identityOf = async (client: EntityClient, name: string) =>
    entityIdentity.strict().parse(dataOf(await client.get(`/person/${name}/identity`)));

  test('merges the traits of its members, newest write first, and says where each came from', async () => {
    const client = await clientWith();
    const write = async (name: string, traits: unknown) =>
      dataOf<EntityRecord>(await client.patch(`/person/${name}`, traits)).updated_at;
    await client.put('/person/a', { email: 'a@example.com', plan: 'free', name: 'Ada' });
    await client.put('/person/b', { email: 'b@example.com', plan: 'pro' });
    const later = await write('a', { plan: 'team' });
    await link(client, 'b', 'same_as', 'a');
    const identity = await identityOf(client, 'b');
    expect(identity.members.map(({ external_id }) => external_id)).toEqual(['a', 'b']);
    expect(identity.traits).toEqual({ email: 'b@example.com', plan: 'team', name: 'Ada' });
    expect(identity.provenance).toMatchObject({
      email: person('b'),
      plan: { ...person('a'), updated_at: later },
      name: person('a'),
    });
    expect(await identityOf(client, 'a')).toEqual(identity);
    await write('a', { plan: null });
    expect((await identityOf(client, 'b')).traits).toMatchObject({ plan: 'pro' });
  });

  test('is one for all members, in whatever order they were joined, and splits again', async () => {
    const client = await clientWith('a', 'b', 'c', 'd');
    for (const [from = '', to = ''] of ['dc', 'ab', 'bc']) await link(client, from, 'same_as', to);
    await link(client, 'd', 'knows', 'a');
    const members = async (name: string) =>
      (await identityOf(client, name)).members.map(({ external_id }) => external_id).join('');
    for (const name of ['a', 'b', 'c', 'd']) expect(await members(name)).toBe('abcd');
    await link(client, 'c', 'same_as', 'b', 'DELETE');
    expect([await members('a'), await members('c')]).toEqual(['ab', 'cd']);
  });

  test('of an entity alone is itself', async () => {
    const client = await clientWith('a');
    expect(await identityOf(client, 'a')).toMatchObject({
      members: [person('a')],
      traits: {},
      provenance: {},
      truncated: false,
    });
    expectRefused(await client.get('/person/x/identity'), { status: 404, code: 'not_found' });
  });
});
