import { auditActions } from '@sluice/contract/dashboard-audit';
import { toRfc3339 } from '../../../core/clock.ts';
import type { ExportRequestOf } from '../../../core/jobs/export.ts';
import type { AUDIT_EXPORT_JOB } from '../../../core/jobs/export-job.ts';
import type { AuditFilter } from '../../../core/stores/configuration/audit.ts';

type GivenFilter = ExportRequestOf<typeof AUDIT_EXPORT_JOB>['filter'];

/** A filter as it was given, in the words of storage. */
export function toAuditFilter({ actor, action, kind, after, before }: GivenFilter): AuditFilter {
  const ofKind = kind === undefined ? undefined : actionsOf(kind);
  const actions =
    action === undefined ? ofKind : [action].filter(one => ofKind?.some(is => is === one) ?? true);
  return { actor, actions, after, before };
}

/** One that only a later version knows is left to its nodes: a file written here would have too much or too little. */
function actionsOf(kind: string): readonly string[] {
  const [, actions] = Object.entries(auditActions).find(([one]) => one === kind) ?? [];
  if (actions === undefined) throw new Error(`There is no kind ${kind} of audit entries in this version.`);
  return actions;
}

/** The filter as somebody would give it again. */
export const showAuditFilter = ({ after, before, ...rest }: GivenFilter) => ({
  ...rest,
  ...(after !== undefined && { after: toRfc3339(after) }),
  ...(before !== undefined && { before: toRfc3339(before) }),
});
