import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { AuditRecord } from '@sluice/contract/dashboard-events';
import { type Browser, dataOf, join, listOf, PASSWORD, readAll, setUp } from '../support/dashboard.ts';
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
    action: 'key.created',
    target: key.id,
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
  expectRefused(await owner.get('/audit?actor=x'), { status: 400, code: 'validation_failed', path: 'actor' });
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
