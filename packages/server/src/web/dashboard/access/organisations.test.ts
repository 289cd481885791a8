import { afterEach, beforeEach, expect, test } from 'bun:test';
import { anOrganisation } from '../../../../test/contract/storage/samples.ts';
import { openPrivateCalls, type PrivateCalls } from '../../../../test/support/private-calls.ts';
import { systemClock } from '../../../core/clock.ts';
import type { AccountStore } from '../../../core/stores/accounts.ts';
import { organisationCalls } from './organisations.ts';
import { createSessions } from './sessions.ts';

let dashboard: PrivateCalls;
beforeEach(async () => {
  dashboard = await openPrivateCalls();
});
afterEach(() => dashboard.close());

const answer = (listOrganisationsOf: AccountStore['listOrganisationsOf']) =>
  organisationCalls(dashboard.calls, {
    accounts: { ...dashboard.storage, listOrganisationsOf },
    sessions: createSessions(dashboard.storage, systemClock, 0),
    clock: systemClock,
    defaultRetentionDays: 30,
    mostOrganisationsPerUser: 10,
  });

test('a session that is ended while its organisation is being deleted stays ended', async () => {
  const { storage, user, orgId, tokenHash } = dashboard;
  await storage.createOrganisation(anOrganisation(), user.id);
  answer(async userId => {
    const mine = await storage.listOrganisationsOf(userId);
    // The password is changed elsewhere, say, which ends it.
    await storage.deleteSession(tokenHash);
    return mine;
  });
  expect((await dashboard.send('DELETE', `/organisations/${orgId}`)).status).toBe(200);
  expect(await storage.listSessions(user.id, Date.now())).toEqual([]);
  expect((await dashboard.get('/organisations')).status).toBe(401);
});

test('one that goes on keeps what it was begun with', async () => {
  const { storage, user, orgId, tokenHash } = dashboard;
  const other = anOrganisation();
  await storage.createOrganisation(other, user.id);
  const [before] = await storage.listSessions(user.id, Date.now());
  answer(storage.listOrganisationsOf);
  expect((await dashboard.send('DELETE', `/organisations/${orgId}`)).status).toBe(200);
  expect(await storage.findSession(tokenHash, Date.now())).toMatchObject({ orgId: other.id, role: 'owner' });
  const [after] = await storage.listSessions(user.id, Date.now());
  expect(after?.createdAt).toBe(before?.createdAt ?? -1);
});
