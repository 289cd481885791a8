import { auditActions, type auditFilter } from '@sluice/contract/dashboard-audit';
import type { z } from 'zod';
import { toRfc3339 } from '../../../core/clock.ts';
import type { AuditFilter } from '../../../core/stores/configuration/audit.ts';

type GivenFilter = z.output<z.ZodObject<typeof auditFilter>>;

/** A filter as it was given, in the words of storage. */
export function toAuditFilter({ actor, action, kind, after, before }: GivenFilter): AuditFilter {
  const ofKind = kind && auditActions[kind];
  const actions =
    action === undefined ? ofKind : [action].filter(one => ofKind?.some(is => is === one) ?? true);
  return { actor, actions, after, before };
}

/** The filter as somebody would give it again. */
export const showAuditFilter = ({ after, before, ...rest }: GivenFilter) => ({
  ...rest,
  ...(after !== undefined && { after: toRfc3339(after) }),
  ...(before !== undefined && { before: toRfc3339(before) }),
});
