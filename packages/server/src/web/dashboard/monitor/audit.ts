import type { AuditRecord } from '@sluice/contract/dashboard-events';
import { toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { AuditEntry } from '../../../core/stores/configuration/audit.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Calls } from '../calls.ts';

/** Who changed what, newest first. */
export function auditCalls(
  calls: Calls,
  { configuration }: { readonly configuration: Pick<ConfigurationStore, 'findAudit' | 'listAudit'> },
): void {
  calls.on('GET /audit', 'read', async call => {
    const page = call.page('audit', call.query());
    const found = await configuration.listAudit(call.session.orgId, {
      limit: page.limit + 1,
      below: page.position,
    });
    const shown = found.slice(0, page.limit);
    const next = found.length > shown.length ? (shown.at(-1)?.id ?? null) : null;
    return page.answer(shown.map(toRecord), next);
  });

  calls.on('GET /audit/:id', 'read', async call => {
    const entry = await configuration.findAudit(call.session.orgId, call.param('id'));
    if (entry === null) throw new Problem('not_found');
    return call.answer(toRecord(entry));
  });
}

const toRecord = ({ id, at, actor, action, target, details }: AuditEntry): AuditRecord => ({
  id,
  at: toRfc3339(at),
  actor,
  action,
  target,
  details: { ...details },
});
