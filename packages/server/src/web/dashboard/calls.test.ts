import { afterEach, beforeEach, expect, test } from 'bun:test';
import { anOrganisation, joinedMember } from '../../../test/contract/storage/samples.ts';
import { openPrivateCalls, type PrivateCalls } from '../../../test/support/private-calls.ts';
import { systemClock } from '../../core/clock.ts';
import type { Role } from '../../core/stores/accounts.ts';
import { memberCalls } from './access/members.ts';
import { keyCalls } from './build/keys.ts';

let dashboard: PrivateCalls;
beforeEach(async () => {
  dashboard = await openPrivateCalls();
  const { calls, storage } = dashboard;
  memberCalls(calls, { accounts: storage, clock: systemClock });
  keyCalls(calls, { configuration: storage, clock: systemClock });
  // Somebody else who may remove the first one.
  await joinedMember(storage, dashboard.orgId, 'owner');
});
afterEach(() => dashboard.close());

/** A body whose last bytes come when this has happened, which is well after the call was let in. */
function lateBody(body: object, meanwhile: () => Promise<unknown>): ReadableStream {
  const text = JSON.stringify(body);
  const bytes = (part: string) => new TextEncoder().encode(part);
  let isBegun = false;
  return new ReadableStream(
    {
      async pull(controller) {
        if (!isBegun) {
          isBegun = true;
          controller.enqueue(bytes(text.slice(0, -1)));
          return;
        }
        await meanwhile();
        controller.enqueue(bytes(text.slice(-1)));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

const becoming = (role: Role) => () => dashboard.storage.setRole(dashboard.orgId, dashboard.user.id, role);
const removal = () => dashboard.storage.removeMember(dashboard.orgId, dashboard.user.id);
const makeKey = (meanwhile: () => Promise<unknown>) =>
  dashboard.send('POST', '/keys', lateBody({ name: 'late' }, meanwhile));
const keys = () => dashboard.storage.listApiKeys(dashboard.orgId);

test('whoever is removed while the body comes in makes no key', async () => {
  expect((await makeKey(removal)).status).toBe(401);
  expect(await keys()).toEqual([]);
});

test('whoever logs out, or is logged out, while the body comes in makes no key', async () => {
  expect((await makeKey(() => dashboard.storage.deleteSession(dashboard.tokenHash))).status).toBe(401);
  expect(await keys()).toEqual([]);
});

test('whoever loses the role while the body comes in makes no key', async () => {
  expect((await makeKey(becoming('member'))).status).toBe(403);
  expect(await keys()).toEqual([]);
});

test('a session that goes to another organisation meanwhile changes nothing in either', async () => {
  const { storage, user, tokenHash } = dashboard;
  const other = anOrganisation();
  await storage.createOrganisation(other, user.id);
  expect((await makeKey(() => storage.moveSession(tokenHash, other.id, Date.now()))).status).toBe(409);
  expect([...(await keys()), ...(await storage.listApiKeys(other.id))]).toEqual([]);
});

test('whoever still may is served, however the body comes in', async () => {
  expect((await makeKey(becoming('admin'))).status).toBe(201);
  expect(await keys()).toHaveLength(1);
});

test('roles are given with the role that one has by now, to members as they are by now', async () => {
  const { storage, orgId } = dashboard;
  const { id } = await joinedMember(storage, orgId, 'member');
  const give = (role: Role, meanwhile: () => Promise<unknown>) =>
    dashboard.send('PATCH', `/members/${id}`, lateBody({ role }, meanwhile));
  const roleNow = async () =>
    (await storage.listMembers(orgId)).find(({ userId }) => userId === id)?.role ?? null;
  expect((await give('owner', becoming('admin'))).status).toBe(403);
  expect((await give('viewer', () => storage.setRole(orgId, id, 'owner'))).status).toBe(403);
  expect(await roleNow()).toBe('owner');
  expect((await give('viewer', removal)).status).toBe(401);
  expect(await roleNow()).toBe('owner');
});

test('an address of an organisation is never taken for that of the session', async () => {
  expect((await dashboard.get('/keys')).status).toBe(200);
  expect((await dashboard.get('/o/acme/keys')).status).toBe(200);
  for (const path of ['/o/other', `/o/${'a'.repeat(65)}`, '/o/%6fther', '/o/%61cme', '/%6f/acme']) {
    expect((await dashboard.get(`${path}/keys`)).status, path).toBe(404);
    expect((await dashboard.send('POST', `${path}/keys`, '{"name":"k"}')).status, path).toBe(404);
  }
  expect(await keys()).toEqual([]);
});
