import { expect, test } from 'bun:test';
import type { AuditEntry, AuditFilter } from '../../../src/core/stores/configuration/audit.ts';
import {
  anApiKey,
  anAuditEntry,
  aWebhookSource,
  idAt,
  NOW,
  storedOrganisation,
  storedOwner,
} from './samples.ts';
import type { Subject } from './suite.ts';
import { aTestEvent } from './test-events.ts';
import { aView } from './views.ts';

export function auditContract(subject: Subject): void {
  const orgId = () => idAt('org', NOW);

  test('keeps an entry as it was written', async () => {
    const entry = anAuditEntry(orgId(), { details: { name: 'Läden "x"', nested: { n: [1, null] } } });
    await subject.storage.recordAudit(entry);
    expect(await subject.storage.findAudit(entry.orgId, entry.id)).toEqual(entry);
  });

  test('lists newest first, page by page', async () => {
    const org = orgId();
    const entries = Array.from({ length: 5 }, () => anAuditEntry(org));
    for (const entry of entries) await subject.storage.recordAudit(entry);
    const newestFirst = entries.toReversed();
    expect(await subject.storage.listAudit(org, { limit: 3, below: null })).toEqual(newestFirst.slice(0, 3));
    expect(await subject.storage.listAudit(org, { limit: 3, below: newestFirst[2]?.id ?? '' })).toEqual(
      newestFirst.slice(3),
    );
  });

  test('is narrowed by person, by action and by time, page by page', async () => {
    const org = orgId();
    const at = (ms: number, given: Partial<AuditEntry> = {}) =>
      anAuditEntry(org, { id: idAt('aud', NOW + ms), at: NOW + ms, ...given });
    const [first, second, third, fourth] = [
      at(1),
      at(2, { actor: 'key_1', action: 'entity.deleted', address: '192.0.2.7' }),
      at(3, { action: 'key.created' }),
      at(4, { actor: 'key_1' }),
    ] as const;
    for (const entry of [first, second, third, fourth]) await subject.storage.recordAudit(entry);
    const list = (filter: AuditFilter, limit = 10, below: string | null = null) =>
      subject.storage.listAudit(org, { limit, below }, filter);
    expect(await list({ actor: 'key_1' })).toEqual([fourth, second]);
    expect(await list({ actor: 'key_1' }, 1, fourth.id)).toEqual([second]);
    expect(await list({ actions: ['entity.deleted', 'key.created'] })).toEqual([third, second]);
    expect(await list({ actions: [] })).toEqual([]);
    expect(await list({ after: NOW + 1, before: NOW + 4 })).toEqual([third, second]);
    expect(await list({ after: NOW + 2, actor: 'key_1' })).toEqual([fourth]);
    expect(await subject.storage.countAudit(org, {}, 10)).toBe(4);
    expect(await subject.storage.countAudit(org, {}, 3)).toBe(3);
    expect(await subject.storage.countAudit(org, { actor: 'key_1', after: NOW + 2 }, 10)).toBe(1);
    expect(await subject.storage.countAudit(orgId(), {}, 10)).toBe(0);
  });

  test('lists each who acted once, and nobody of another organisation', async () => {
    const { storage } = subject;
    const [org, other] = [orgId(), orgId()];
    for (const actor of ['key_1', 'ada@example.com', 'key_1', 'unknown', 'ada@example.com'])
      await storage.recordAudit(anAuditEntry(org, { actor }));
    await storage.recordAudit(anAuditEntry(other, { actor: 'eve@example.com' }));
    expect((await storage.listAuditActors(org, 10)).toSorted()).toEqual([
      'ada@example.com',
      'key_1',
      'unknown',
    ]);
    expect(await storage.listAuditActors(org, 2)).toHaveLength(2);
    expect(await storage.listAuditActors(orgId(), 10)).toEqual([]);
  });

  test('names what its entries are about, also what has gone since, and nothing of another organisation', async () => {
    const { storage } = subject;
    const { org, user } = await storedOwner(storage);
    const other = await storedOwner(storage);
    const [kept, gone, foreign] = [
      aWebhookSource(org.id, { name: 'Kept' }),
      aWebhookSource(org.id, { name: 'Gone' }),
      aWebhookSource(other.org.id, { name: 'Foreign' }),
    ];
    for (const source of [kept, gone, foreign]) await storage.createSource(source);
    const record = anAuditEntry(org.id, {
      action: 'source.deleted',
      target: gone.id,
      details: { name: 'Gone' },
    });
    await storage.audited(record).deleteSource(org.id, gone.id, 'ada', NOW);
    await storage.recordAudit(
      anAuditEntry(other.org.id, {
        action: 'source.deleted',
        target: 'src_x',
        details: { name: 'Not yours' },
      }),
    );
    const ids = [kept.id, gone.id, foreign.id, 'src_x', user.id, other.user.id, org.id, other.org.id, 'ada'];
    const named = await storage.nameAuditTargets(org.id, [...ids, ...ids]);
    expect(named.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      [
        { id: kept.id, name: 'Kept', isGone: false },
        { id: gone.id, name: 'Gone', isGone: true },
        { id: user.id, name: user.email, isGone: false },
        { id: org.id, name: org.name, isGone: false },
      ].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
    expect(await storage.nameAuditTargets(org.id, [])).toEqual([]);
  });

  test('names test events and the views that all share, and no view of one person alone', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const [made, gone] = [aTestEvent(org, { name: 'Paid' }), aTestEvent(org, { name: 'Failed' })];
    for (const event of [made, gone]) await storage.createTestEvent(event, 10);
    const [shared, own] = [
      aView(org, null, { name: 'Ours' }),
      aView(org, idAt('usr', NOW), { name: 'Mine' }),
    ];
    for (const view of [shared, own]) await storage.createView(view, 10);
    const details = { name: 'Failed' };
    await storage
      .audited(anAuditEntry(org, { action: 'test_event.deleted', target: gone.id, details }))
      .deleteTestEvent(org, gone.id);
    const ids = [made.id, gone.id, shared.id, own.id];
    expect(await storage.nameAuditTargets(org, ids)).toEqual([
      { id: made.id, name: 'Paid', isGone: false },
      { id: gone.id, name: 'Failed', isGone: true },
      { id: shared.id, name: 'Ours', isGone: false },
    ]);
    expect(await storage.nameAuditTargets(await storedOrganisation(storage), ids)).toEqual([]);
  });

  test('holds a change and its record together', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const [key, entry] = [anApiKey(org), anAuditEntry(org)];
    await storage.audited(entry).createApiKey(key);
    expect(await storage.findApiKey(org, key.id)).toEqual(key);
    expect(await storage.findAudit(org, entry.id)).toEqual(entry);
  });

  test('a change whose record cannot be written has not happened', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const [key, source, entry] = [anApiKey(org), aWebhookSource(org), anAuditEntry(org)];
    await storage.createSource(source);
    await storage.recordAudit(entry);
    // The same id once more is refused, after the change itself went well.
    for (const change of [
      () => storage.audited(entry).createApiKey(key),
      () => storage.audited(anAuditEntry(org), entry).updateSource(org, source.id, { enabled: false }, NOW),
      () => storage.audited(entry).deleteSource(org, source.id, 'ada', NOW),
    ])
      expect(
        await change().then(
          () => 'done',
          () => 'failed',
        ),
      ).toBe('failed');
    expect(await storage.findApiKey(org, key.id)).toBeNull();
    expect(await storage.findSource(org, source.id)).toEqual(source);
    expect(await storage.listAudit(org, { limit: 10, below: null })).toEqual([entry]);
  });

  test('a change that is refused, or finds nothing, is not on record', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const audited = storage.audited(anAuditEntry(org));
    expect(await audited.revokeApiKey(org, 'key_x', NOW)).toBe(false);
    expect(await audited.setRole(org, 'usr_x', 'admin')).toBe('not_found');
    expect(await audited.deletePipeline(org, 'pipe_x')).toBe(false);
    expect(await storage.listAudit(org, { limit: 10, below: null })).toEqual([]);
  });

  test('shows nothing of another organisation', async () => {
    const entry = anAuditEntry(orgId());
    await subject.storage.recordAudit(entry);
    expect(await subject.storage.findAudit(orgId(), entry.id)).toBeNull();
    expect(await subject.storage.listAudit(orgId(), { limit: 10, below: null })).toEqual([]);
  });
}
