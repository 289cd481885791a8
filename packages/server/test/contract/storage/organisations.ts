import { expect, test } from 'bun:test';
import { hours } from '../../../src/core/clock.ts';
import { slugOf } from '../../../src/core/slug.ts';
import { everyStore } from '../../support/every-store.ts';
import { aDestination, routedTo } from './delivery-samples.ts';
import { aClaimInput, accepted, aJob, aSettlement } from './pipeline-samples.ts';
import {
  aClaim,
  anApiKey,
  anAuditEntry,
  anEvent,
  anInvitation,
  anOrganisation,
  aRequest,
  aSession,
  aUser,
  aWebhookSource,
  idAt,
  joinedMember,
  memberOf,
  NOW,
  removeDeleted,
  storedOrganisation,
  storedOwner,
} from './samples.ts';
import type { Subject } from './suite.ts';

export function organisationsContract(subject: Subject): void {
  test('each has an address of its own, also where two of a name are made at once', async () => {
    const name = `Twin ${idAt('org', NOW)}`;
    const made = await subject.atOnce(4, async storage => {
      const { id } = anOrganisation();
      await storage.createOrganisation(anOrganisation({ id, name }), idAt('usr', NOW));
      return (await storage.findOrganisation(id))?.slug;
    });
    const slug = slugOf(name);
    expect(made.toSorted()).toEqual([slug, `${slug}-2`, `${slug}-3`, `${slug}-4`]);
    await subject.storage.giveSlugs();
  });

  test('keeps an organisation as it was made, with its maker as owner', async () => {
    const { user } = await storedOwner(subject.storage);
    const org = anOrganisation({ name: 'Ärger & Söhne', retentionDays: 7, searchableTraits: ['a.b', 'c'] });
    await subject.storage.createOrganisation(org, user.id);
    expect(await subject.storage.findOrganisation(org.id)).toEqual({ ...org, slug: slugOf(org.name) });
    expect(await memberOf(subject.storage, org.id, user.id)).toMatchObject({
      role: 'owner',
      email: user.email,
    });
    expect((await subject.storage.listOrganisations()).filter(({ id }) => id === org.id)).toMatchObject([
      org,
    ]);
  });

  test('makes no more for one owner than are allowed, however many are made at once', async () => {
    const { org, user } = await storedOwner(subject.storage);
    await subject.storage.createOrganisation(anOrganisation(), user.id, 3);
    const others = Array.from({ length: 6 }, () => anOrganisation());
    const outcomes = await subject.atOnce(6, (storage, n) =>
      storage.createOrganisation(others[n] ?? org, user.id, 3),
    );
    expect(outcomes.toSorted()).toEqual([
      'created',
      'too_many',
      'too_many',
      'too_many',
      'too_many',
      'too_many',
    ]);
    expect(await subject.storage.listOrganisationsOf(user.id)).toHaveLength(3);
    expect(await subject.storage.createOrganisation(anOrganisation(), user.id)).toBe('created');
  });

  test('finds nothing under an unknown id', async () => {
    expect(await subject.storage.findOrganisation(idAt('org', NOW))).toBeNull();
    expect(await subject.storage.findOrganisation('org_\0')).toBeNull();
  });

  test('changes only what a change names', async () => {
    const org = anOrganisation({ retentionDays: 7, searchableTraits: ['plan'] });
    await subject.storage.createOrganisation(org, idAt('usr', NOW));
    expect(await subject.storage.updateOrganisation(org.id, { name: 'Renamed' })).toBe(true);
    expect(await subject.storage.findOrganisation(org.id)).toEqual({
      ...org,
      slug: slugOf(org.name),
      name: 'Renamed',
    });
    expect(
      await subject.storage.updateOrganisation(org.id, { retentionDays: null, searchableTraits: [] }),
    ).toBe(true);
    expect(await subject.storage.findOrganisation(org.id)).toEqual({
      ...org,
      slug: slugOf(org.name),
      name: 'Renamed',
      retentionDays: null,
      searchableTraits: [],
    });
    expect(await subject.storage.updateOrganisation(idAt('org', NOW), { name: 'x' })).toBe(false);
  });

  test('loses neither of two changes at once', async () => {
    for (let round = 1; round <= 10; round++) {
      const orgId = await storedOrganisation(subject.storage);
      await subject.atOnce(2, (storage, n) =>
        storage.updateOrganisation(orgId, n === 0 ? { name: `Round ${round}` } : { retentionDays: round }),
      );
      expect(await subject.storage.findOrganisation(orgId)).toMatchObject({
        name: `Round ${round}`,
        retentionDays: round,
      });
    }
  });

  test("lists a person's organisations with their role in each", async () => {
    const { org, user } = await storedOwner(subject.storage);
    const other = await storedOrganisation(subject.storage);
    await joinedMember(subject.storage, other, 'viewer', user);
    const listed = await subject.storage.listOrganisationsOf(user.id);
    expect(listed.map(({ id, role }) => ({ id, role }))).toEqual([
      { id: org.id, role: 'owner' },
      { id: other, role: 'viewer' },
    ]);
    expect(await subject.storage.listOrganisationsOf(idAt('usr', NOW))).toEqual([]);
  });

  test('takes its sessions along, but for one that goes on elsewhere and has not ended by then', async () => {
    const { storage } = subject;
    const { org, user } = await storedOwner(storage);
    const { org: other } = await storedOwner(storage);
    await joinedMember(storage, other.id, 'viewer', user);
    const [mine, another] = [aSession(user.id, org.id), aSession(user.id, org.id)];
    for (const session of [mine, another])
      await storage.beginSession({ ...session, address: '192.0.2.1' }, user.passwordHash);
    const moved = { tokenHash: mine.tokenHash, orgId: other.id };
    expect(await storage.deleteOrganisation(org.id, NOW, moved)).toBe('deleted');
    expect(await storage.findSession(mine.tokenHash, NOW)).toMatchObject({ orgId: other.id, role: 'viewer' });
    expect(await storage.listSessions(user.id, NOW)).toMatchObject([{ address: '192.0.2.1' }]);

    const third = anOrganisation();
    await storage.createOrganisation(third, user.id);
    await storage.deleteSession(mine.tokenHash);
    expect(await storage.deleteOrganisation(third.id, NOW, moved)).toBe('deleted');
    expect(await storage.listSessions(user.id, NOW)).toEqual([]);
  });

  test('deletes everything that belongs to it, and nothing that does not', async () => {
    const { storage } = subject;
    const fill = async () => {
      const { org, user } = await storedOwner(storage);
      const key = anApiKey(org.id);
      const source = aWebhookSource(org.id);
      const session = aSession(user.id, org.id);
      const invitation = anInvitation(org.id);
      const entry = anAuditEntry(org.id);
      const event = anEvent();
      const idempotency = aClaim(org.id);
      await storage.createApiKey(key);
      await storage.createSource(source);
      await storage.beginSession(session, user.passwordHash);
      await storage.createInvitation(invitation);
      await storage.recordAudit(entry);
      await storage.append([aRequest(org.id, [event], { idempotency })]);
      const rejection = {
        sourceId: source.id,
        orgId: org.id,
        at: NOW,
        code: 'unauthenticated',
        message: 'No.',
        address: null,
        headers: null,
      };
      await storage.recordActivity({ keysUsed: [], sourcesSeen: [], rejections: [rejection] });
      return async () => ({
        organisation: (await storage.findOrganisation(org.id)) !== null,
        key: (await storage.findApiKeyByHash(key.hash)) !== null,
        source: (await storage.findSourceByTokenHash(source.tokenHash)) !== null,
        session: (await storage.findSession(session.tokenHash, NOW)) !== null,
        member: (await memberOf(storage, org.id, user.id)) !== undefined,
        invitation: (await storage.findInvitation(invitation.codeHash, NOW)) !== null,
        audit: (await storage.findAudit(org.id, entry.id)) !== null,
        event: (await storage.findEvent(org.id, event.id)) !== null,
        rejections: (await storage.listRejections(org.id, source.id, 10)).length > 0,
        orgId: org.id,
        // Asked last, since asking spends the key.
        idempotencyKey: async () => {
          const [result] = await storage.append([aRequest(org.id, [anEvent()], { idempotency })]);
          return result?.kind === 'stored' && result.events[0]?.duplicate;
        },
      });
    };
    const [gone, kept] = [await fill(), await fill()];
    expect(await storage.deleteOrganisation((await gone()).orgId, NOW)).toBe('deleted');
    const { organisation, key, source, session, member, invitation } = await gone();
    expect([organisation, key, source, session, member, invitation]).toEqual(Array(6).fill(false));
    expect(await removeDeleted(storage)).toBeGreaterThan(3);
    const { idempotencyKey: spentOfGone, orgId: goneId, ...left } = await gone();
    const { idempotencyKey: spentOfKept, orgId: keptId, ...others } = await kept();
    expect(Object.values(left).every(there => !there)).toBe(true);
    expect(Object.values(others).every(there => there)).toBe(true);
    expect(await spentOfGone()).toBe(false);
    // What somebody had under way when it was deleted goes as well.
    expect(await removeDeleted(storage)).toBeGreaterThan(0);
    expect(await removeDeleted(storage, NOW + hours(1))).toBe(0);
    expect(await spentOfKept()).toBe(true);
    expect(await storage.deleteOrganisation(goneId, NOW)).toBe('not_found');
    expect(keptId).not.toBe(goneId);
  });

  test('takes what became of its events along, and refuses whoever is still at work on them', async () => {
    const { storage } = subject;
    const fill = async () => {
      const orgId = await storedOrganisation(storage);
      const destination = aDestination(orgId);
      await storage.createDestination(destination);
      const settled = await routedTo(storage, orgId, [destination.id], { count: 3 });
      await storage.createJob(aJob(orgId));
      return { orgId, settled };
    };
    const [gone, kept] = [await fill(), await fill()];
    await accepted(storage, gone.orgId, 1);
    const { events } = await storage.claimEvents(aClaimInput({ after: gone.orgId.slice(0, -1), limit: 1 }));
    expect(events.map(({ orgId }) => orgId)).toEqual([gone.orgId]);
    await storage.deleteOrganisation(gone.orgId, NOW);
    const late = await storage.settleEvents(
      events.map(claimed => aSettlement(claimed)),
      NOW,
    );
    expect(late.map(({ kind }) => kind)).toEqual(['refused']);
    expect(await removeDeleted(storage)).toBeGreaterThan(7);

    const seen = async ({ orgId, settled }: { orgId: string; settled: string }) => ({
      event: (await storage.findEvent(orgId, settled)) !== null,
      runs: (await storage.listRuns(orgId, settled)).length,
      deliveries: (await storage.listDeliveries(orgId, {}, { limit: 10, below: null })).length,
      destinations: (await storage.listDestinations(orgId)).length,
    });
    expect(await seen(gone)).toEqual({ event: false, runs: 0, deliveries: 0, destinations: 0 });
    expect(await seen(kept)).toEqual({ event: true, runs: 1, deliveries: 3, destinations: 1 });
  });

  test('stays on record for what is written long after nothing of it was left, which goes too', async () => {
    const { storage } = subject;
    const [gone, kept] = [await storedOrganisation(storage), await storedOrganisation(storage)];
    await accepted(storage, gone, 1);
    await storage.deleteOrganisation(gone, NOW);
    await removeDeleted(storage, NOW + hours(1));
    const has = async (orgId: string) =>
      (await storage.listEvents(orgId, {}, { limit: 9, below: null, budgetMs: 1_000 })).events.length > 0;
    expect(await has(gone)).toBe(false);
    for (const orgId of [gone, kept]) await accepted(storage, orgId, 1);
    expect(await removeDeleted(storage, NOW + hours(2))).toBe(0);
    await storage.reopenDeleted();
    expect(await removeDeleted(storage, NOW + hours(2))).toBeGreaterThan(0);
    expect([await has(gone), await has(kept)]).toEqual([false, true]);
    await storage.reopenDeleted();
    expect(await removeDeleted(storage, NOW + hours(2))).toBe(0);
  });

  test('lets in nobody by what was made while it was being deleted, and removes that too', async () => {
    const { storage } = subject;
    const orgId = await storedOrganisation(storage);
    const [key, source, destination] = [anApiKey(orgId), aWebhookSource(orgId), aDestination(orgId)];
    await storage.deleteOrganisation(orgId, NOW);
    await storage.createApiKey(key);
    await storage.createSource(source);
    await storage.createDestination(destination);
    expect(await storage.findApiKeyByHash(key.hash)).toBeNull();
    expect(await storage.findSourceByTokenHash(source.tokenHash)).toBeNull();
    await removeDeleted(storage, NOW + hours(1));
    expect(await storage.listApiKeys(orgId)).toEqual([]);
    expect(await storage.listSources(orgId)).toEqual([]);
    expect(await storage.listDestinations(orgId)).toEqual([]);
  });

  test('keeps the last organisation, also when all are deleted at once', async () => {
    const { nodes, remove } = await subject.openEmpty();
    const storage = everyStore(nodes[0]);
    const first = anOrganisation();
    await storage.createFirstUser(aUser(), first);
    expect(await storage.deleteOrganisation(first.id, NOW)).toBe('last_one');
    const others = await Promise.all(Array.from({ length: 5 }, () => storedOrganisation(storage)));
    const outcomes = await Promise.all(
      [first.id, ...others].map((id, n) =>
        (nodes[n % nodes.length] ?? nodes[0]).accounts.deleteOrganisation(id, NOW),
      ),
    );
    expect(outcomes.filter(outcome => outcome === 'deleted')).toHaveLength(5);
    expect(await storage.listOrganisations()).toHaveLength(1);
    await remove();
  });
}
