import { expect, test } from 'bun:test';
import { anApiKey, anAuditEntry, aWebhookSource, idAt, NOW, storedOrganisation } from './samples.ts';
import type { Subject } from './suite.ts';

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
