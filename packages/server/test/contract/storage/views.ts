import { expect, test } from 'bun:test';
import type { SavedView } from '../../../src/core/stores/configuration/views.ts';
import { idAt, joinedMember, NOW, storedOrganisation } from './samples.ts';
import type { Subject } from './suite.ts';

export const aView = (orgId: string, userId: string | null, given: Partial<SavedView> = {}): SavedView => ({
  id: idAt('view', NOW),
  orgId,
  userId,
  name: 'Failures of today',
  filters: { outcome: 'failed', within: '24h' },
  columns: ['received', 'type'],
  createdAt: NOW,
  updatedAt: NOW,
  ...given,
});

export function viewsContract(subject: Subject): void {
  const MANY = 100;

  test('a view is seen by its owner alone, or by everybody in its organisation', async () => {
    const { storage } = subject;
    const [org, other] = [await storedOrganisation(storage), await storedOrganisation(storage)];
    const [ada, bob] = [idAt('usr', NOW), idAt('usr', NOW)];
    const [own, shared] = [aView(org, ada), aView(org, null, { name: 'Für alle', filters: {} })];
    for (const view of [own, shared]) expect(await storage.createView(view, MANY)).toBe('created');
    expect(await storage.listViews(org, ada)).toEqual([shared, own]);
    expect(await storage.listViews(org, bob)).toEqual([shared]);
    expect(await storage.listViews(other, ada)).toEqual([]);
    expect(await storage.findView(org, ada, own.id)).toEqual(own);
    expect(await storage.findView(org, bob, own.id)).toBeNull();
    expect(await storage.findView(other, ada, shared.id)).toBeNull();
  });

  test('a view is changed and deleted by nobody else', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const [ada, bob] = [idAt('usr', NOW), idAt('usr', NOW)];
    const [own, shared] = [aView(org, ada), aView(org, null)];
    for (const view of [own, shared]) await storage.createView(view, MANY);
    const change = { name: 'Renamed' };
    expect(await storage.changeView(org, bob, own.id, change, NOW + 1)).toBe(false);
    expect(await storage.deleteView(org, bob, own.id)).toBe(false);
    expect(await storage.changeView(idAt('org', NOW), ada, own.id, change, NOW + 1)).toBe(false);
    expect(await storage.changeView(org, ada, own.id, change, NOW + 1)).toBe(true);
    expect(await storage.findView(org, ada, own.id)).toEqual({ ...own, ...change, updatedAt: NOW + 1 });
    const other = { filters: { type: 'a' }, columns: ['id'] };
    expect(await storage.changeView(org, bob, shared.id, other, NOW + 2)).toBe(true);
    expect(await storage.findView(org, ada, shared.id)).toEqual({ ...shared, ...other, updatedAt: NOW + 2 });
    expect(await storage.deleteView(org, ada, own.id)).toBe(true);
    expect(await storage.deleteView(org, ada, own.id)).toBe(false);
    expect(await storage.listViews(org, ada)).toHaveLength(1);
  });

  test('there are so many of each person, and of the organisation, however they race', async () => {
    const org = await storedOrganisation(subject.storage);
    const [ada, bob] = [idAt('usr', NOW), idAt('usr', NOW)];
    const answers = await subject.atOnce(4, storage => storage.createView(aView(org, ada), 2));
    expect(answers.toSorted()).toEqual(['created', 'created', 'too_many', 'too_many']);
    expect(await subject.storage.createView(aView(org, bob), 2)).toBe('created');
    expect(await subject.storage.createView(aView(org, null), 2)).toBe('created');
  });

  test("go with a member's leave, with those of others and of the organisation kept", async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const member = await joinedMember(storage, org, 'viewer');
    await storage.createView(aView(org, member.id), MANY);
    const shared = aView(org, null);
    await storage.createView(shared, MANY);
    expect(await storage.removeMember(org, member.id)).toBe('removed');
    expect(await storage.listViews(org, member.id)).toEqual([shared]);
  });
}
