import type { AuditRecord } from '@sluice/contract/dashboard-audit';
import { MOST_EXPORTED_AT_ONCE } from '@sluice/contract/dashboard-events';
import { Problem } from '../../../core/errors.ts';
import type { AuditEntry } from '../../../core/stores/configuration/audit.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import { may } from '../permissions.ts';
import { showAuditFilter, toAuditFilter } from './audit-filter.ts';
import { auditHeading, auditLines, EXPORT_SLICE, showEntries } from './audit-lines.ts';

/** So many are offered to narrow the log by. */
const MOST_ACTORS = 1_000;

/** Who changed what, newest first. */
export function auditCalls(
  calls: Calls,
  {
    configuration,
  }: {
    readonly configuration: Pick<
      ConfigurationStore,
      'countAudit' | 'findAudit' | 'listAudit' | 'listAuditActors' | 'nameAuditTargets' | 'recordAudit'
    >;
  },
): void {
  const show = ({ session }: SessionCall, entries: readonly AuditEntry[]): Promise<AuditRecord[]> =>
    showEntries(configuration, session.orgId, entries, mayKnowAddresses(session));

  calls.on('GET /audit', 'read', async call => {
    const { limit, cursor, ...given } = call.query();
    const page = call.page('audit', { limit, cursor });
    const asked = { limit: page.limit + 1, below: page.position };
    const found = await configuration.listAudit(call.session.orgId, asked, toAuditFilter(given));
    const shown = found.slice(0, page.limit);
    const next = found.length > shown.length ? (shown.at(-1)?.id ?? null) : null;
    return page.answer(await show(call, shown), next);
  });

  calls.on('GET /audit/export', 'read', async call => {
    const { format, ...given } = call.query();
    const { orgId } = call.session;
    const filter = toAuditFilter(given);
    if ((await configuration.countAudit(orgId, filter, MOST_EXPORTED_AT_ONCE + 1)) > MOST_EXPORTED_AT_ONCE)
      throw new Problem('limit_reached', {
        message: `More than ${MOST_EXPORTED_AT_ONCE.toLocaleString('en')} entries match: export them as a job.`,
      });
    const read = (below: string | null) =>
      configuration.listAudit(orgId, { limit: EXPORT_SLICE, below }, filter);
    // Read before the export is on record, so that it does not begin with itself.
    let entries = await read(null);
    await configuration.recordAudit(
      call.record('audit.exported', orgId, { filter: showAuditFilter(given), format }),
    );
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        if (format === 'csv') controller.enqueue(Buffer.from(auditHeading(format)));
      },
      async pull(controller) {
        const lines = auditLines(await show(call, entries), format);
        if (lines !== '') controller.enqueue(Buffer.from(lines));
        const last = entries.at(-1);
        entries = last === undefined ? [] : await read(last.id);
        if (entries.length === 0) controller.close();
      },
    });
    const file = new Response(body, {
      headers: {
        'Content-Type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
        'Content-Disposition': `attachment; filename="audit-log.${format}"`,
      },
    });
    return call.respond(file);
  });

  calls.on('GET /audit/actors', 'read', async call => {
    const { orgId } = call.session;
    const actors = await configuration.listAuditActors(orgId, MOST_ACTORS);
    const named = await configuration.nameAuditTargets(orgId, actors);
    const names = new Map(named.map(({ id, name }) => [id, name]));
    return call.answer(actors.map(actor => ({ actor, actor_name: names.get(actor) ?? actor })));
  });

  calls.on('GET /audit/:id', 'read', async call => {
    const entry = await configuration.findAudit(call.session.orgId, call.param('id'));
    const [record] = entry === null ? [] : await show(call, [entry]);
    if (record === undefined) throw new Problem('not_found');
    return call.answer(record);
  });
}

/** Addresses, and how people log in: for those who look after the members, and for nobody else. */
export const mayKnowAddresses = ({ role }: SessionCall['session']): boolean => may(role, 'members.change');
