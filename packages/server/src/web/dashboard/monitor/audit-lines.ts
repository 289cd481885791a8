import type { AuditRecord } from '@sluice/contract/dashboard-audit';
import type { ExportFormat } from '@sluice/contract/dashboard-events';
import { toRfc3339 } from '../../../core/clock.ts';
import { csvLine } from '../../../core/csv.ts';
import type { ExportRequestOf, ExportSource } from '../../../core/jobs/export.ts';
import type { AUDIT_EXPORT_JOB } from '../../../core/jobs/export-job.ts';
import type { AuditEntry, AuditTarget } from '../../../core/stores/configuration/audit.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Job } from '../../../core/stores/jobs.ts';
import { toAuditFilter } from './audit-filter.ts';
import { pageOfTarget } from './audit-pages.ts';

/** The audit log as it is shown, and as the lines of a file. */

/** So many are read at once for a file. */
export const EXPORT_SLICE = 500;

/** The entries of an export job. */
export function exportedAudit(
  configuration: Pick<ConfigurationStore, 'listAudit' | 'nameAuditTargets'>,
  { id, orgId, createdAt }: Job,
  { filter, format, withAddresses }: ExportRequestOf<typeof AUDIT_EXPORT_JOB>,
): ExportSource {
  const before = Math.min(filter.before ?? Number.POSITIVE_INFINITY, createdAt + 1);
  return {
    heading: auditHeading(format),
    what: 'entries',
    async read(below) {
      const found = await configuration.listAudit(
        orgId,
        { limit: EXPORT_SLICE, below },
        { ...toAuditFilter(filter), before },
      );
      // That it was asked for is on record in the same moment; it does not begin with itself.
      const entries = found.filter(({ target }) => target !== id);
      const records = await showEntries(configuration, orgId, entries, withAddresses);
      return {
        text: auditLines(records, format),
        count: records.length,
        next: found.length < EXPORT_SLICE ? null : (found.at(-1)?.id ?? null),
      };
    },
  };
}

export async function showEntries(
  configuration: Pick<ConfigurationStore, 'nameAuditTargets'>,
  orgId: string,
  entries: readonly AuditEntry[],
  mayKnowAddresses: boolean,
): Promise<AuditRecord[]> {
  const ids = entries.flatMap(({ actor, target }) => [actor, target]);
  const named = await configuration.nameAuditTargets(orgId, ids);
  const byId = new Map(named.map(target => [target.id, target]));
  return entries.map(entry => toRecord(entry, byId, mayKnowAddresses));
}

/** How and from where people log in: for those who look after the members, and for nobody else. */
const ofLogins: ReadonlySet<string> = new Set(['address', 'began_from', 'second_factor']);

function toRecord(
  { id, at, actor, action, target, address, details }: AuditEntry,
  named: ReadonlyMap<string, AuditTarget>,
  mayKnowAddresses: boolean,
): AuditRecord {
  const known = named.get(target);
  // Before it had a place of its own it stood in the details of logins.
  const from = address ?? (typeof details.address === 'string' ? details.address : null);
  return {
    id,
    at: toRfc3339(at),
    actor,
    actor_name: named.get(actor)?.name ?? actor,
    action,
    target,
    target_name: known?.name ?? null,
    target_page: known?.isGone ? null : pageOfTarget(action, target),
    address: mayKnowAddresses ? from : null,
    details: mayKnowAddresses
      ? { ...details }
      : Object.fromEntries(Object.entries(details).filter(([name]) => !ofLogins.has(name))),
  };
}

export const auditHeading = (format: ExportFormat): string => (format === 'csv' ? csvLine(CSV_COLUMNS) : '');

export const auditLines = (records: readonly AuditRecord[], format: ExportFormat): string =>
  records.map(format === 'csv' ? csvOf : jsonOf).join('');

const CSV_COLUMNS = ['at', 'actor', 'actor_name', 'action', 'target', 'target_name', 'address', 'details'];

const csvOf = (record: AuditRecord): string =>
  csvLine([
    record.at,
    record.actor,
    record.actor_name,
    record.action,
    record.target,
    record.target_name,
    record.address,
    Object.keys(record.details).length === 0 ? null : JSON.stringify(record.details),
  ]);

const jsonOf = ({ target_page: _, ...record }: AuditRecord): string => `${JSON.stringify(record)}\n`;
