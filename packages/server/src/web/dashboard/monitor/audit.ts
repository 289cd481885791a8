import { type AuditRecord, auditActions, type auditQuery } from '@sluice/contract/dashboard-audit';
import type { z } from 'zod';
import { toRfc3339 } from '../../../core/clock.ts';
import { csvLine } from '../../../core/csv.ts';
import { Problem } from '../../../core/errors.ts';
import type { AuditEntry, AuditFilter, AuditTarget } from '../../../core/stores/configuration/audit.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import { may } from '../permissions.ts';
import { pageOfTarget } from './audit-pages.ts';

/** So many go into one file, and so many of them are read at once. */
const MOST_EXPORTED = 10_000;
const EXPORT_SLICE = 500;
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
  async function show({ session }: SessionCall, entries: readonly AuditEntry[]): Promise<AuditRecord[]> {
    const ids = entries.flatMap(({ actor, target }) => [actor, target]);
    const named = await configuration.nameAuditTargets(session.orgId, ids);
    const byId = new Map(named.map(target => [target.id, target]));
    return entries.map(entry => toRecord(entry, byId, may(session.role, 'members.change')));
  }

  calls.on('GET /audit', 'read', async call => {
    const { limit, cursor, ...given } = call.query();
    const page = call.page('audit', { limit, cursor });
    const asked = { limit: page.limit + 1, below: page.position };
    const found = await configuration.listAudit(call.session.orgId, asked, toFilter(given));
    const shown = found.slice(0, page.limit);
    const next = found.length > shown.length ? (shown.at(-1)?.id ?? null) : null;
    return page.answer(await show(call, shown), next);
  });

  calls.on('GET /audit/export', 'read', async call => {
    const { format, ...given } = call.query();
    const { orgId } = call.session;
    const filter = toFilter(given);
    if ((await configuration.countAudit(orgId, filter, MOST_EXPORTED + 1)) > MOST_EXPORTED)
      throw new Problem('limit_reached', {
        message: `More than ${MOST_EXPORTED.toLocaleString('en')} entries match: export them in parts, each of a shorter time.`,
      });
    const read = (below: string | null) =>
      configuration.listAudit(orgId, { limit: EXPORT_SLICE, below }, filter);
    // Read before the export is on record, so that it does not begin with itself.
    let entries = await read(null);
    await configuration.recordAudit(
      call.record('audit.exported', orgId, { filter: showFilter(given), format }),
    );
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        if (format === 'csv') controller.enqueue(Buffer.from(csvLine(CSV_COLUMNS)));
      },
      async pull(controller) {
        const lines = (await show(call, entries)).map(format === 'csv' ? csvOf : jsonOf);
        if (lines.length > 0) controller.enqueue(Buffer.from(lines.join('')));
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

type GivenFilter = Omit<z.output<typeof auditQuery>, 'limit' | 'cursor'>;

function toFilter({ actor, action, kind, after, before }: GivenFilter): AuditFilter {
  const ofKind = kind && auditActions[kind];
  const actions =
    action === undefined ? ofKind : [action].filter(one => ofKind?.some(is => is === one) ?? true);
  return { actor, actions, after, before };
}

/** The filter as somebody would give it again. */
const showFilter = ({ after, before, ...rest }: GivenFilter) => ({
  ...rest,
  ...(after !== undefined && { after: toRfc3339(after) }),
  ...(before !== undefined && { before: toRfc3339(before) }),
});

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
