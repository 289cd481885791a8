import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { MemberRecord, WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { AuditActorRecord, AuditRecord } from '@sluice/contract/dashboard-audit';
import { anAuditEntry, idAt } from '../contract/storage/samples.ts';
import {
  type Browser,
  cookieOf,
  dataOf,
  join,
  listOf,
  logIn,
  PASSWORD,
  readAll,
  setUp,
} from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';

type Made = Record<'id' | 'secret' | 'token' | 'invite_code', string>;

let service: TestService;
let owner: Browser;
const secrets: string[] = [PASSWORD];
beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
});
afterAll(() => service.stop());

const newest = async () => listOf<AuditRecord>(await owner.get('/audit?limit=1')).data[0];

/** A file, as a browser saves it. */
const download = (as: Browser, path: string) =>
  fetch(`${service.url}/dashboard/api${path}`, { headers: { Cookie: cookieOf(as) } });

test('every change is on record: who, what, and to what', async () => {
  const make = async (path: string, body: unknown) => {
    const made = dataOf<Made>(await owner.post(path, body));
    secrets.push(...[made.secret, made.token, made.invite_code].filter(secret => secret !== undefined));
    return made;
  };
  const key = await make('/keys', { name: 'till' });
  expect(await newest()).toEqual({
    id: expect.stringMatching(/^aud_/),
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    actor: 'owner@example.com',
    actor_name: 'owner@example.com',
    action: 'key.created',
    target: key.id,
    target_name: 'till',
    target_page: '/settings/keys',
    address: '127.0.0.1',
    details: { name: 'till', prefix: expect.any(String) },
  });

  const source = await make('/sources', { kind: 'webhook', name: 'shop' });
  const invited = await make('/members', { email: 'guest@example.com', role: 'viewer' });
  const person = await join(service.url, owner, 'person@example.com', 'viewer');
  const { user } = dataOf<{ user: { id: string } }>(await person.get('/session'));
  const other = await make('/organisations', { name: 'Second' });
  const { organisation } = dataOf<{ organisation: { id: string } }>(await owner.get('/session'));
  const changes: [string, string, () => Promise<unknown>][] = [
    ['key.renamed', key.id, () => owner.patch(`/keys/${key.id}`, { name: 'x' })],
    ['key.revoked', key.id, () => owner.delete(`/keys/${key.id}`)],
    ['source.changed', source.id, () => owner.patch(`/sources/${source.id}`, { enabled: false })],
    ['source.secret_rotated', source.id, () => make(`/sources/${source.id}/rotate`, {})],
    ['source.deleted', source.id, () => owner.delete(`/sources/${source.id}`)],
    ['invitation.withdrawn', invited.id, () => owner.delete(`/members/${invited.id}`)],
    ['member.role_changed', user.id, () => owner.patch(`/members/${user.id}`, { role: 'member' })],
    ['member.removed', user.id, () => owner.delete(`/members/${user.id}`)],
    [
      'organisation.changed',
      organisation.id,
      () => owner.patch(`/organisations/${organisation.id}`, { retention_days: 3 }),
    ],
    ['organisation.deleted', other.id, () => owner.delete(`/organisations/${other.id}`)],
  ];
  for (const [action, target, act] of changes) {
    await act();
    expect(await newest()).toMatchObject({ actor: 'owner@example.com', action, target });
  }

  const all = await readAll<AuditRecord>(owner, '/audit?limit=2');
  expect(
    all
      .map(({ action }) => action)
      .reverse()
      .slice(0, 6),
  ).toEqual([
    'organisation.created',
    'key.created',
    'source.created',
    'member.invited',
    'member.invited',
    'member.joined',
  ]);
  expect(all.find(({ action }) => action === 'member.joined')?.actor).toBe('person@example.com');
  expect(all.find(({ action }) => action === 'organisation.changed')?.details).toEqual({ retention_days: 3 });
  const text = JSON.stringify(all);
  expect(secrets.length).toBeGreaterThan(5);
  for (const secret of secrets) expect(text).not.toContain(secret);
});

test('what was refused or changed nothing is not on record', async () => {
  const before = (await newest())?.id;
  await owner.post('/keys', { name: '' });
  await owner.get('/keys');
  await owner.delete('/sources/src_x');
  const {
    data: [key],
  } = listOf<Made>(await owner.get('/keys'));
  await owner.delete(`/keys/${key?.id}`);
  expect((await newest())?.id).toBe(before ?? '');
});

test('one entry can be asked for, and none can be made or changed', async () => {
  const entry = await newest();
  expect(dataOf<AuditRecord>(await owner.get(`/audit/${entry?.id}`))).toEqual(entry as AuditRecord);
  expectRefused(await owner.get('/audit/aud_x'), { status: 404, code: 'not_found' });
  expectRefused(await owner.get('/audit?colour=x'), {
    status: 400,
    code: 'validation_failed',
    path: 'colour',
  });
  expectRefused(await owner.get('/audit?kind=x'), { status: 400, code: 'validation_failed', path: 'kind' });
  for (const [method, path] of [
    ['POST', '/audit'],
    ['DELETE', `/audit/${entry?.id}`],
    ['POST', '/events'],
    ['DELETE', '/events/evt_x'],
  ] as const) {
    const answer = await owner.send(method, path);
    expectRefused(answer, { status: 405, code: 'method_not_allowed' });
    expect(answer.headers.get('allow')).toBe('GET');
  }
});

test('the log is narrowed by person, action, kind of record and time, each combined with the others', async () => {
  const actions = async (query: string) =>
    (await readAll<AuditRecord>(owner, `/audit?${query}`)).map(({ action }) => action);
  expect(await actions('actor=person@example.com')).toEqual(['member.joined']);
  expect(await actions('kind=key')).toEqual(['key.revoked', 'key.renamed', 'key.created']);
  expect(await actions('action=key.renamed&kind=key')).toEqual(['key.renamed']);
  expect(await actions('action=key.renamed&kind=source')).toEqual([]);
  expect(await actions('kind=key&actor=person@example.com')).toEqual([]);
  const [revoked] = listOf<AuditRecord>(await owner.get('/audit?action=key.revoked')).data;
  const at = encodeURIComponent(revoked?.at ?? '');
  expect(await actions(`kind=key&before=${at}`)).not.toContain('key.revoked');
  expect(await actions(`kind=key&after=${at}`)).toEqual([]);
});

test('records are named: as they are now, or as they were called when they went, with the page where there is one', async () => {
  const entry = async (action: string) =>
    listOf<AuditRecord>(await owner.get(`/audit?action=${action}`)).data.at(-1);
  expect(await entry('key.created')).toMatchObject({ target_name: 'x', target_page: '/settings/keys' });
  expect(await entry('source.created')).toMatchObject({ target_name: 'shop', target_page: null });
  expect(await entry('member.role_changed')).toMatchObject({
    target_name: 'person@example.com',
    target_page: null,
  });
  const { id } = dataOf<Made>(await owner.post('/sources', { kind: 'webhook', name: 'till 2' }));
  expect(await newest()).toMatchObject({ target_name: 'till 2', target_page: `/sources/${id}` });
});

test('everybody who acted can be asked for, also who has left since, and keys by their names', async () => {
  const { id: till } = dataOf<Made>(await owner.post('/keys', { name: 'till 3' }));
  const leaver = await join(service.url, owner, 'leaver@example.com', 'viewer');
  const { user, organisation } = dataOf<WhoAmI>(await leaver.get('/session'));
  expect((await owner.delete(`/members/${user.id}`)).status).toBe(200);
  await service.engine.configuration.recordAudit(
    anAuditEntry(organisation.id, { actor: till, action: 'entity.deleted' }),
  );
  const actors = dataOf<AuditActorRecord[]>(await owner.get('/audit/actors'));
  expect(actors).toContainEqual({ actor: till, actor_name: 'till 3' });
  expect(actors).toContainEqual({ actor: 'leaver@example.com', actor_name: 'leaver@example.com' });
  expect(new Set(actors.map(({ actor }) => actor)).size).toBe(actors.length);
});

test('what is filtered is exported line by line or as a table that no spreadsheet takes for formulas', async () => {
  await owner.post('/keys', { name: '=HYPERLINK("x")' });
  const whole = await readAll<AuditRecord>(owner, '/audit');
  const lines = await download(owner, '/audit/export');
  expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
  expect(lines.headers.get('content-disposition')).toBe('attachment; filename="audit-log.ndjson"');
  expect(
    (await lines.text())
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).id),
  ).toEqual(whole.map(({ id }) => id));
  expect(await newest()).toMatchObject({
    actor: 'owner@example.com',
    action: 'audit.exported',
    details: { filter: {}, format: 'ndjson' },
  });
  const table = await download(owner, '/audit/export?format=csv&kind=key&before=2100-01-01T00:00:00Z');
  expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const rows = (await table.text()).trimEnd().split('\r\n');
  expect(rows[0]).toBe('at,actor,actor_name,action,target,target_name,address,details');
  expect(rows).toHaveLength(1 + (await readAll(owner, '/audit?kind=key')).length);
  expect(await newest()).toMatchObject({
    action: 'audit.exported',
    details: { filter: { kind: 'key', before: '2100-01-01T00:00:00.000Z' }, format: 'csv' },
  });
  expect(rows[1]).toContain(`,"'=HYPERLINK(""x"")",127.0.0.1,`);
  expectRefused(await owner.get('/audit/export?format=xml'), {
    status: 400,
    code: 'validation_failed',
    path: 'format',
  });
});

test('what people call their own views stands nowhere in the log', async () => {
  const view = { filters: {}, columns: ['type'] };
  const entry = async (id: string, action: string) =>
    (await readAll<AuditRecord>(owner, `/audit?action=${action}`)).find(({ target }) => target === id);
  const own = dataOf<Made>(await owner.post('/views', { ...view, name: 'Mine alone' }));
  await owner.patch(`/views/${own.id}`, { name: 'Mine alone still' });
  await owner.delete(`/views/${own.id}`);
  for (const action of ['view.created', 'view.changed', 'view.deleted'])
    expect(await entry(own.id, action)).toMatchObject({ target_name: null, details: { shared: false } });
  expect(JSON.stringify(await readAll<AuditRecord>(owner, '/audit?kind=view'))).not.toContain('Mine alone');

  const shared = dataOf<Made>(await owner.post('/views', { ...view, name: 'Ours', shared: true }));
  await owner.patch(`/views/${shared.id}`, { name: 'Ours, renamed' });
  expect(await entry(shared.id, 'view.created')).toMatchObject({
    target_name: 'Ours, renamed',
    details: { name: 'Ours', shared: true },
  });
  await owner.delete(`/views/${shared.id}`);
  expect(await entry(shared.id, 'view.created')).toMatchObject({ target_name: 'Ours, renamed' });
});

test('addresses are for those who look after the members', async () => {
  const viewer = await join(service.url, owner, 'looker@example.com', 'viewer');
  const [seen] = listOf<AuditRecord>(await viewer.get('/audit?kind=key&limit=1')).data;
  expect(seen).toMatchObject({ actor: 'owner@example.com', address: null });
  expect(await (await download(viewer, '/audit/export?format=csv')).text()).not.toContain('127.0.0.1');
});

test('members show when they last logged in here', async () => {
  const last = async (email: string) =>
    listOf<MemberRecord>(await owner.get('/members')).data.find(one => one.email === email)?.last_login_at;
  const before = await last('looker@example.com');
  expect(before).toMatch(/^\d{4}-.*Z$/);
  await logIn(service.url, 'looker@example.com');
  expect(Date.parse((await last('looker@example.com')) ?? '')).toBeGreaterThanOrEqual(
    Date.parse(before ?? ''),
  );
  await owner.post('/members', { email: 'later@example.com', role: 'viewer' });
  expect(await last('later@example.com')).toBeNull();
});

test('a file never ends early: where more match than one may hold, it is refused', async () => {
  const { organisation } = dataOf<{ organisation: { id: string } }>(await owner.get('/session'));
  const at = Date.parse('2020-01-01T00:00:00Z');
  const entries = Array.from({ length: 10_001 }, (_, n) =>
    anAuditEntry(organisation.id, { id: idAt('aud', at + n), at: at + n, actor: 'many@example.com' }),
  );
  await Promise.all(entries.map(entry => service.engine.configuration.recordAudit(entry)));
  const refused = await owner.get('/audit/export?actor=many@example.com');
  expectRefused(refused, { status: 409, code: 'limit_reached' });
  expect(JSON.stringify(refused.body)).toContain('More than 10,000 entries match');
  expect((await newest())?.action).not.toBe('audit.exported');
  const whole = await download(owner, '/audit/export?actor=many@example.com&after=2020-01-01T00:00:00Z');
  const lines = (await whole.text()).trimEnd().split('\n');
  expect(lines).toHaveLength(10_000);
  expect([lines[0], lines.at(-1)].map(line => JSON.parse(line ?? '').id)).toEqual([
    entries.at(-1)?.id,
    entries[1]?.id,
  ]);
});
