import { expect, test } from 'bun:test';
import type { StoredTestEvent } from '../../../src/core/stores/configuration/test-events.ts';
import { aDestination, routedTo } from './delivery-samples.ts';
import { anAuditEntry, idAt, NOW, storedOrganisation } from './samples.ts';
import type { Subject } from './suite.ts';

export const aTestEvent = (orgId: string, given: Partial<StoredTestEvent> = {}): StoredTestEvent => ({
  id: idAt('tev', NOW),
  orgId,
  name: 'A paid order',
  event: '{"type":"order.paid","payload":{"n":9007199254740993}}',
  createdBy: 'ada@example.com',
  createdAt: NOW,
  updatedAt: NOW,
  ...given,
});

/** Saved test events, and what of a delivery is sent again as a test. */
export function testEventsContract(subject: Subject): void {
  test('are listed by name, changed and deleted, in their organisation alone', async () => {
    const { storage } = subject;
    const [org, other] = [await storedOrganisation(storage), await storedOrganisation(storage)];
    const [paid, failed] = [aTestEvent(org), aTestEvent(org, { name: 'A failed order' })];
    for (const event of [paid, failed]) expect(await storage.createTestEvent(event, 10)).toBe('created');
    expect(await storage.listTestEvents(org)).toEqual([failed, paid]);
    expect(await storage.listTestEvents(other)).toEqual([]);
    expect(await storage.findTestEvent(other, paid.id)).toBeNull();
    expect(await storage.updateTestEvent(other, paid.id, { name: 'Theirs' }, NOW + 1)).toBe(false);
    expect(await storage.deleteTestEvent(other, paid.id)).toBe(false);
    expect(await storage.updateTestEvent(org, paid.id, { event: '{"type":"a"}' }, NOW + 1)).toBe(true);
    expect(await storage.findTestEvent(org, paid.id)).toEqual({
      ...paid,
      event: '{"type":"a"}',
      updatedAt: NOW + 1,
    });
    expect(await storage.deleteTestEvent(org, paid.id)).toBe(true);
    expect(await storage.deleteTestEvent(org, paid.id)).toBe(false);
    expect(await storage.listTestEvents(org)).toEqual([failed]);
  });

  test('those of an entity whose events are erased go with them', async () => {
    const { storage } = subject;
    const [org, other] = [await storedOrganisation(storage), await storedOrganisation(storage)];
    const of = (orgId: string, entity: object) =>
      aTestEvent(orgId, { event: JSON.stringify({ type: 'a', entity, payload: { name: 'Ada' } }) });
    const ada = { kind: 'person', external_id: 'p"1' };
    const kept = [
      aTestEvent(org),
      of(org, { ...ada, external_id: 'p2' }),
      of(org, { ...ada, kind: 'company' }),
    ];
    const foreign = of(other, ada);
    for (const event of [...kept, of(org, ada), foreign]) await storage.createTestEvent(event, 10);
    const entity = { kind: ada.kind, externalId: ada.external_id };
    await storage.eraseEventsOfEntity(org, entity, { after: null, limit: 10, at: NOW });
    expect((await storage.listTestEvents(org)).map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
    expect(await storage.listTestEvents(other)).toEqual([foreign]);
  });

  test('are so many and no more, however many are saved at once; one that is refused is not on record', async () => {
    const { storage, atOnce, engine } = subject;
    const org = await storedOrganisation(storage);
    const results = await atOnce(6, node => node.createTestEvent(aTestEvent(org), 4));
    expect(results.filter(result => result === 'created')).toHaveLength(4);
    expect(results.filter(result => result === 'too_many')).toHaveLength(2);
    const entry = anAuditEntry(org);
    expect(await engine.configuration.audited(entry).createTestEvent(aTestEvent(org), 4)).toBe('too_many');
    expect(await storage.findAudit(org, entry.id)).toBeNull();
  });

  test('what a pipeline made of an event for a destination is found, for that destination alone', async () => {
    const { storage } = subject;
    const [org, other] = [await storedOrganisation(storage), await storedOrganisation(storage)];
    const [first, second] = [aDestination(org), aDestination(org)];
    for (const destination of [first, second]) await storage.createDestination(destination);
    const event = await routedTo(storage, org, [first.id], { payload: '{"n":9007199254740993}' });
    expect(await storage.findOutput(org, event, first.id)).toEqual({
      output: '{"payload":{"n":9007199254740993},"labels":{}}',
      sourceName: 'Shop',
    });
    expect(await storage.findOutput(org, event, second.id)).toBeNull();
    expect(await storage.findOutput(other, event, first.id)).toBeNull();
  });
}
