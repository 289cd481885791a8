import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import type { OrganisationRecord, WhoAmI } from '@sluice/contract/dashboard-accounts';
import {
  type Browser,
  dataOf,
  join,
  listOf,
  logIn,
  openBrowser,
  PASSWORD,
  readAll,
  setUp,
  stranger,
} from '../support/dashboard.ts';
import { expectRefused, ingestWith } from '../support/endpoints.ts';
import { everyStore } from '../support/every-store.ts';
import { startTestService, type TestService, temporaryDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

const conflict = { status: 409, code: 'conflict' };

let service: TestService;
let owner: Browser;
beforeEach(async () => {
  service = await startTestService();
  owner = await setUp(service);
});
afterEach(() => service.stop());

const make = async (name = 'Second') =>
  dataOf<OrganisationRecord>(await owner.post('/organisations', { name }));
const whoIs = async (browser: Browser) => dataOf<WhoAmI>(await browser.get('/session'));

test('whoever makes an organisation owns it, and stays where they are', async () => {
  const answer = await owner.post('/organisations', { name: 'Second' });
  expect(answer.status).toBe(201);
  const second = dataOf<OrganisationRecord>(answer);
  expect(second).toEqual({
    id: expect.stringMatching(/^org_/),
    name: 'Second',
    slug: 'second',
    role: 'owner',
    retention_days: null,
    default_retention_days: 30,
    searchable_traits: [],
    created_at: expect.any(String),
  });
  const me = await whoIs(owner);
  expect(me.organisation.name).toBe('Acme');
  expect(me.organisations.map(({ name }) => name)).toEqual(['Acme', 'Second']);
  expect(dataOf<OrganisationRecord>(await owner.get(`/organisations/${second.id}`))).toEqual(second);
});

test('the list holds the organisations of the caller, newest first', async () => {
  const made = [await make('b'), await make('c'), await make('d')];
  const all = await readAll<OrganisationRecord>(owner, '/organisations?limit=2');
  expect(all.map(({ name }) => name)).toEqual(['d', 'c', 'b', 'Acme']);
  expect(all[0]).toEqual(made[2] as OrganisationRecord);
  const viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
  expect(listOf(await viewer.get('/organisations')).data).toMatchObject([{ name: 'Acme', role: 'viewer' }]);
});

test('its settings are changed one by one, and checked', async () => {
  const { id } = await make();
  const path = `/organisations/${id}`;
  expect(dataOf(await owner.patch(path, { name: 'Renamed' }))).toMatchObject({ name: 'Renamed' });
  expect(dataOf(await owner.patch(path, { retention_days: 7 }))).toMatchObject({
    name: 'Renamed',
    retention_days: 7,
  });
  expect(dataOf(await owner.patch(path, { searchable_traits: ['plan', 'address.city'] }))).toMatchObject({
    retention_days: 7,
    searchable_traits: ['plan', 'address.city'],
  });
  const refusals: [string, unknown][] = [
    ['name', { name: '' }],
    ['retention_days', { retention_days: 0 }],
    ['retention_days', { retention_days: 1.5 }],
    ['retention_days', { retention_days: null }],
    ['retention_days', { retention_days: 36_501 }],
    ['searchable_traits', { searchable_traits: 'plan' }],
    ['searchable_traits', { searchable_traits: ['a', 'a'] }],
    ['searchable_traits[1]', { searchable_traits: ['a', ''] }],
    ['retention', { retention: 7 }],
  ];
  for (const [at, body] of refusals) {
    expectRefused(await owner.patch(path, body), { status: 400, code: 'validation_failed', path: at });
  }
});

test('what may be done to an organisation hangs on the role there, not on where the session is', async () => {
  const { id } = await make();
  const inSecond = await logIn(service.url, 'owner@example.com');
  await inSecond.put('/session/organisation', { id });
  const person = await join(service.url, inSecond, 'person@example.com', 'viewer');
  const { invite_code } = dataOf<{ invite_code: string }>(
    await owner.post('/members', { email: 'person@example.com', role: 'owner' }),
  );
  await openBrowser(service.url).post(`/invitations/${invite_code}`, { password: 'correct horse battery' });

  const acme = (await whoIs(owner)).organisation.id;
  expectRefused(await person.patch(`/organisations/${id}`, { name: 'x' }), {
    status: 403,
    code: 'forbidden',
  });
  expectRefused(await person.delete(`/organisations/${id}`), { status: 403, code: 'forbidden' });
  expect((await person.patch(`/organisations/${acme}`, { name: 'x' })).status).toBe(200);
});

test('deleting one takes everything of it along, and moves its owner to another', async () => {
  const { id } = await make();
  const inSecond = await logIn(service.url, 'owner@example.com');
  await inSecond.put('/session/organisation', { id });
  const { secret } = dataOf<{ secret: string }>(await inSecond.post('/keys', { name: 'k' }));
  const send = async () => (await ingestWith(service.url, secret)({ events: [{ type: 'x' }] })).status;
  expect(await send()).toBe(202);
  const member = await join(service.url, inSecond, 'member@example.com', 'member');

  expect(dataOf(await inSecond.delete(`/organisations/${id}`))).toEqual({ id, deleted: true });
  expect(await send()).toBe(401);
  expect((await member.get('/session')).status).toBe(401);
  expect((await whoIs(inSecond)).organisation.name).toBe('Acme');
  expectRefused(await inSecond.get(`/organisations/${id}`), { status: 404, code: 'not_found' });
  expect(listOf(await inSecond.get('/audit')).data[0]).toMatchObject({
    action: 'organisation.deleted',
    target: id,
  });
});

test('what a deleted organisation left behind goes by itself, also after a restart in between', async () => {
  const directory = temporaryDirectory();
  const before = await startTestService({ directory });
  const browser = await setUp(before);
  const { secret } = dataOf<{ secret: string }>(await browser.post('/keys', { name: 'k' }));
  const first = (await whoIs(browser)).organisation.id;
  await browser.post('/organisations', { name: 'Second' });
  const sent = await ingestWith(before.url, secret)({ events: [{ type: 'x' }] });
  const [event] = dataOf<{ events: { id: string }[] }>(sent).events;
  const eventId = event?.id ?? '';
  expect((await browser.delete(`/organisations/${first}`)).status).toBe(200);
  await before.stop();

  const after = await startTestService({ directory });
  const storage = everyStore(after.engine);
  await until(async () => (await storage.findEvent(first, eventId)) === null, 'its event is still there');
  await until(
    async () => (await storage.listAudit(first, { limit: 1, below: null })).length === 0,
    'its log too',
  );
  await after.stop();
  rmSync(directory, { recursive: true });
});

test('whoever deletes the only organisation they have is logged out', async () => {
  const { id } = await make();
  const inSecond = await logIn(service.url, 'owner@example.com');
  await inSecond.put('/session/organisation', { id });
  const person = await join(service.url, inSecond, 'person@example.com', 'owner');
  expect((await person.delete(`/organisations/${id}`)).status).toBe(200);
  expect(person.setCookie).toStartWith('sluice_session=; Max-Age=0');
  expect((await inSecond.get('/session')).status).toBe(401);
});

test('the last organisation of an installation stays', async () => {
  expectRefused(await owner.delete(`/organisations/${(await whoIs(owner)).organisation.id}`), conflict);
  expect((await owner.get('/session')).status).toBe(200);
});

test('one person owns so many organisations and no more, until one of them is deleted', async () => {
  for (let n = 1; n < 10; n++) await make(`number ${n}`);
  const answer = await owner.post('/organisations', { name: 'one too many' });
  expectRefused(answer, { status: 409, code: 'limit_reached' });
  const all = listOf<OrganisationRecord>(await owner.get('/organisations')).data;
  expect(all).toHaveLength(10);
  expect((await owner.delete(`/organisations/${all[0]?.id}`)).status).toBe(200);
  expect((await owner.post('/organisations', { name: 'another' })).status).toBe(201);
});

test('a call in another organisation of whoever asks needs no switch, and ends at others', async () => {
  const there = await make('Über uns');
  expect(there.slug).toBe('uber-uns');
  const before = await whoIs(owner);
  const inThere = dataOf<WhoAmI>(await owner.get(`/o/${there.slug}/session`));
  expect(inThere).toMatchObject({ organisation: { id: there.id, slug: 'uber-uns' }, role: 'owner' });
  const key = dataOf<{ id: string }>(await owner.post(`/o/${there.slug}/keys`, { name: 'theirs' }));
  expect((await owner.get(`/o/${there.slug}/keys/${key.id}`)).status).toBe(200);
  expect((await owner.get(`/keys/${key.id}`)).status).toBe(404);
  const entity = { kind: 'customer', external_id: 'a/b' };
  await owner.post(`/o/${there.slug}/entities`, entity);
  const found = await owner.get(`/o/${there.slug}/entities/customer/a%2Fb`);
  expect(dataOf<object>(found)).toMatchObject(entity);
  expect((await owner.get('/entities/customer/a%2Fb')).status).toBe(404);
  // Where the session itself is has not changed.
  expect((await whoIs(owner)).organisation).toEqual(before.organisation);
  const outsider = await stranger(service.url, owner, 'outsider@example.com');
  expectRefused(await outsider.get(`/o/${there.slug}/keys`), { status: 404, code: 'not_found' });
  expectRefused(await outsider.post(`/o/${there.slug}/keys`, { name: 'x' }), {
    status: 404,
    code: 'not_found',
  });
  expect((await fetch(`${service.url}/dashboard/api/o/${there.slug}/keys`)).status).toBe(401);
  const renamed = dataOf<OrganisationRecord>(
    await owner.patch(`/organisations/${there.id}`, { name: 'Other' }),
  );
  expect(renamed.slug).toBe('uber-uns');
});

test('an id of another organisation of theirs is told from one of strangers', async () => {
  const there = await make('Elsewhere');
  const source = await owner.post(`/o/${there.slug}/sources`, { kind: 'sdk', name: 's', match: 'a.*' });
  const { id } = dataOf<{ id: string }>(source);
  const [entry] = listOf<{ id: string }>(await owner.get(`/o/${there.slug}/audit?limit=1`)).data;
  const nobody = await stranger(service.url, owner, 'nobody-of-it@example.com');
  for (const one of [id, entry?.id]) {
    expect(dataOf<unknown>(await owner.get(`/whereabouts/${one}`))).toEqual({
      organisation: { name: 'Elsewhere', slug: there.slug },
    });
    expectRefused(await nobody.get(`/whereabouts/${one}`), { status: 404, code: 'not_found' });
  }
  expectRefused(await owner.get('/whereabouts/evt_1'), { status: 404, code: 'not_found' });
});

test('a login leads to the organisation last used', async () => {
  const there = await make('Last used');
  await owner.put('/session/organisation', { id: there.id });
  const back = await logIn(service.url, 'owner@example.com');
  expect((await whoIs(back)).organisation.slug).toBe('last-used');
});

test('a login leads to the organisation last used also where that was opened by its address', async () => {
  const person = await join(service.url, owner, 'by-address@example.com', 'owner');
  const before = (await whoIs(person)).organisation.slug;
  const there = dataOf<OrganisationRecord>(await person.post('/organisations', { name: 'By its address' }));
  expect((await person.get(`/o/${there.slug}/session`)).status).toBe(200);
  const leadsTo = async () => {
    const credentials = { email: 'by-address@example.com', password: PASSWORD };
    return dataOf<WhoAmI>(await openBrowser(service.url).post('/session', credentials)).organisation.slug;
  };
  await until(async () => (await leadsTo()) === there.slug, 'A login leads elsewhere.');
  // No tab that names none is moved by that.
  expect((await whoIs(person)).organisation.slug).toBe(before);
});
