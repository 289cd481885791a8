import { sql } from 'kysely';
import { idFloor } from '../../../core/ids.ts';
import type { AuditEntry, AuditFilter } from '../../../core/stores/configuration/audit.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';

/** The audit log: entries written and listed. */

const toAuditEntry = (row: Schema['audit']): AuditEntry => ({
  id: row.id,
  orgId: row.org_id,
  at: row.at,
  actor: row.actor,
  action: row.action as AuditEntry['action'],
  target: row.target,
  address: row.address,
  details: JSON.parse(row.details) as Record<string, unknown>,
});

export const toAuditRow = (entry: AuditEntry): Schema['audit'] => ({
  id: entry.id,
  org_id: entry.orgId,
  at: entry.at,
  actor: entry.actor,
  action: entry.action,
  target: entry.target,
  details: JSON.stringify(entry.details),
  address: entry.address,
});

export const recordAudit: Operation<ConfigurationStore['recordAudit']> = async (db, entry) => {
  await db.insertInto('audit').values(toAuditRow(entry)).execute();
};

function matching(db: Db, orgId: string, { actor, actions, after, before }: AuditFilter) {
  let query = db.selectFrom('audit').where('org_id', '=', orgId);
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (actions !== undefined) query = query.where('action', 'in', actions.length === 0 ? [''] : actions);
  // Ids sort by time, and are in every index that this can be read by.
  if (after !== undefined) query = query.where('id', '>=', idFloor('aud', after + 1));
  if (before !== undefined) query = query.where('id', '<', idFloor('aud', before));
  return query;
}

export const listAudit: Operation<ConfigurationStore['listAudit']> = async (
  db,
  orgId,
  { limit, below },
  filter = {},
) => {
  let query = matching(db, orgId, filter).selectAll();
  if (below !== null) query = query.where('id', '<', below);
  return (await query.orderBy('id', 'desc').limit(limit).execute()).map(toAuditEntry);
};

export const countAudit: Operation<ConfigurationStore['countAudit']> = async (db, orgId, filter, most) => {
  const { count } = await db
    .selectFrom(matching(db, orgId, filter).select('id').limit(most).as('seen'))
    .select(eb => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** One look at the index for each: how much they did costs nothing. */
export const listAuditActors: Operation<ConfigurationStore['listAuditActors']> = async (db, orgId, most) => {
  const first = db.selectFrom('audit').select('actor').where('org_id', '=', orgId).orderBy('actor').limit(1);
  const found = await db
    .withRecursive('actors(actor)', actors =>
      actors.selectNoFrom(first.as('actor')).unionAll(
        actors
          .selectFrom('actors')
          .select(first.where('audit.actor', '>', sql.ref<string>('actors.actor')).as('actor'))
          .where('actors.actor', 'is not', null),
      ),
    )
    .selectFrom('actors')
    .select('actor')
    .where('actor', 'is not', null)
    .limit(most)
    .execute();
  return found.flatMap(({ actor }) => actor ?? []);
};

export const findAudit: Operation<ConfigurationStore['findAudit']> = async (db, orgId, id) => {
  const row = await db
    .selectFrom('audit')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? toAuditEntry(row) : null;
};
