import type { AuditRecord } from '@sluice/contract/dashboard-events';
import { toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { AuditEntry } from '../../../core/stores/configuration/audit.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import { may } from '../permissions.ts';

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
    return page.answer(shown.map(recordFor(call)), next);
  });

  calls.on('GET /audit/:id', 'read', async call => {
    const entry = await configuration.findAudit(call.session.orgId, call.param('id'));
    if (entry === null) throw new Problem('not_found');
    return call.answer(recordFor(call)(entry));
  });
}

/** How and from where people log in: for those who look after the members, and for nobody else. */
const ofLogins: ReadonlySet<string> = new Set(['address', 'began_from', 'second_factor']);

const recordFor =
  ({ session }: SessionCall) =>
  ({ id, at, actor, action, target, details }: AuditEntry): AuditRecord => {
    const shown = may(session.role, 'members.change')
      ? { ...details }
      : Object.fromEntries(Object.entries(details).filter(([name]) => !ofLogins.has(name)));
    return { id, at: toRfc3339(at), actor, action, target, details: shown };
  };
