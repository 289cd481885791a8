import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import { type Role, roles } from '../../src/core/stores/accounts.ts';
import { type Browser, dataOf, join, setUp } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let browsers: Record<Role, Browser>;
const made = { org: '', key: '', source: '', event: 'evt_x', audit: 'aud_x', user: '' };
beforeAll(async () => {
  service = await startTestService();
  const owner = await setUp(service);
  const joined = (role: Role) => join(service.url, owner, `${role}@example.com`, role);
  browsers = {
    owner,
    viewer: await joined('viewer'),
    member: await joined('member'),
    admin: await joined('admin'),
  };
  const idOf = async (path: string, body: unknown) => dataOf<{ id: string }>(await owner.post(path, body)).id;
  made.org = dataOf<WhoAmI>(await owner.get('/session')).organisation.id;
  made.user = dataOf<WhoAmI>(await owner.get('/session')).user.id;
  made.key = await idOf('/keys', { name: 'k' });
  made.source = await idOf('/sources', { kind: 'webhook', name: 's' });
});
afterAll(() => service.stop());

/** Each call with the least role that may make it; bodies are such that nothing is changed by those who may. */
const calls: [Role, string, () => string, unknown?][] = [
  ['viewer', 'GET', () => '/session'],
  ['viewer', 'GET', () => '/account'],
  ['viewer', 'PUT', () => '/account/password', {}],
  ['viewer', 'GET', () => '/account/sessions'],
  ['viewer', 'DELETE', () => '/account/sessions/x'],
  ['viewer', 'DELETE', () => '/account/sessions'],
  ['viewer', 'POST', () => '/account/second-factor/offer'],
  ['viewer', 'PUT', () => '/account/second-factor', {}],
  ['viewer', 'POST', () => '/account/second-factor/recovery-codes', {}],
  ['viewer', 'POST', () => '/account/second-factor/off', {}],
  ['viewer', 'GET', () => '/keys'],
  ['viewer', 'GET', () => `/keys/${made.key}`],
  ['viewer', 'GET', () => '/sources'],
  ['viewer', 'GET', () => `/sources/${made.source}`],
  ['viewer', 'GET', () => `/sources/${made.source}/rejections`],
  ['viewer', 'GET', () => '/members'],
  ['viewer', 'GET', () => `/members/${made.user}`],
  ['viewer', 'GET', () => '/organisations'],
  ['viewer', 'GET', () => `/organisations/${made.org}`],
  ['viewer', 'GET', () => '/events'],
  ['viewer', 'GET', () => `/events/${made.event}`],
  ['viewer', 'GET', () => '/search?text=x'],
  ['viewer', 'GET', () => '/live?call=/jobs'],
  ['viewer', 'GET', () => '/live/events'],
  ['viewer', 'GET', () => '/overview'],
  ['viewer', 'GET', () => '/map'],
  ['viewer', 'GET', () => '/counters?names=received'],
  ['viewer', 'GET', () => '/health'],
  ['viewer', 'GET', () => '/audit'],
  ['viewer', 'GET', () => `/audit/${made.audit}`],
  ['viewer', 'PUT', () => '/session/organisation', {}],
  ['viewer', 'POST', () => '/conditions/check', { condition: 'true' }],
  ['member', 'POST', () => '/sources', {}],
  ['member', 'PATCH', () => `/sources/${made.source}`, { x: 1 }],
  ['member', 'DELETE', () => '/sources/src_x'],
  ['member', 'POST', () => '/sources/src_x/rotate', {}],
  ['member', 'POST', () => '/deliveries/dlv_x/discard'],
  ['member', 'POST', () => '/events/evt_x/discard'],
  ['member', 'POST', () => '/entities', {}],
  ['member', 'PATCH', () => '/entities/person/x', { traits: {} }],
  ['member', 'DELETE', () => '/entities/person/x'],
  ['admin', 'POST', () => '/keys', {}],
  ['admin', 'PATCH', () => `/keys/${made.key}`, {}],
  ['admin', 'DELETE', () => '/keys/key_x'],
  ['admin', 'POST', () => '/members', {}],
  ['admin', 'PATCH', () => '/members/usr_x', {}],
  ['admin', 'DELETE', () => '/members/usr_x'],
  ['admin', 'PATCH', () => `/organisations/${made.org}`, { x: 1 }],
  ['owner', 'POST', () => '/organisations', {}],
  ['owner', 'POST', () => '/members', { email: 'admin@example.com', role: 'owner' }],
  ['owner', 'PATCH', () => `/members/${made.user}`, { role: 'owner' }],
];

for (const [least, method, path, body] of calls) {
  describe(`${method} ${path().replace(/[a-z]{3}_\w+/, '{id}')} ${JSON.stringify(body) ?? ''}`, () => {
    for (const role of roles) {
      const allowed = roles.indexOf(role) >= roles.indexOf(least);
      test(`${allowed ? 'is open to' : 'is closed to'} a ${role}`, async () => {
        const answer = await browsers[role].send(method, path(), { body });
        if (allowed) expect([200, 201, 400, 404, 409]).toContain(answer.status);
        else expectRefused(answer, { status: 403, code: 'forbidden' });
      });
    }
  });
}

test('nobody but an owner deletes an organisation', async () => {
  for (const role of ['viewer', 'member', 'admin'] as const) {
    const answer = await browsers[role].delete(`/organisations/${made.org}`);
    expectRefused(answer, { status: 403, code: 'forbidden' });
  }
  expect((await browsers.owner.delete(`/organisations/${made.org}`)).status).toBe(409);
});

test('each is told what their role allows', async () => {
  const permissionsOf = async (role: Role) =>
    dataOf<WhoAmI>(await browsers[role].get('/session')).permissions;
  expect(await permissionsOf('viewer')).toEqual(['read']);
  expect(await permissionsOf('member')).toEqual(expect.arrayContaining(['sources.reveal', 'sources.change']));
  expect(await permissionsOf('member')).not.toContain('keys.change');
  expect(await permissionsOf('admin')).toContain('keys.change');
  expect(await permissionsOf('admin')).not.toContain('owners.change');
  expect(await permissionsOf('owner')).toContain('organisations.change');
});
