import { expect, test } from 'bun:test';
import { anAuditEntry, idAt, NOW } from './samples.ts';
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

  test('shows nothing of another organisation', async () => {
    const entry = anAuditEntry(orgId());
    await subject.storage.recordAudit(entry);
    expect(await subject.storage.findAudit(orgId(), entry.id)).toBeNull();
    expect(await subject.storage.listAudit(orgId(), { limit: 10, below: null })).toEqual([]);
  });
}
