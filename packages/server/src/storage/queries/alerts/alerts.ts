import { sql } from 'kysely';
import type { AlertDetails, AlertKey, AlertStore, StoredAlert } from '../../../core/stores/alerts.ts';
import { OPERATOR_SETTING } from '../../../core/stores/upkeep.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';

/** Alerts as they are kept: what has begun, whether it was told, and when a type was last raised. */

/** In place of a subject, for a type as a whole. */
const WHOLE_TYPE = '';

const toAlert = (row: Schema['alerts']): StoredAlert => ({
  orgId: row.org_id,
  type: row.type as AlertKey['type'],
  subjectId: row.subject,
  since: row.since,
  details: JSON.parse(row.details) as AlertDetails | null,
  raisedAt: row.raised_at,
  recoveredAt: row.recovered_at,
});

/** Not without when it began: whoever was held up must not change the one that came after. */
const isAlert = (db: Db, { orgId, type, subjectId, since }: AlertKey) =>
  db
    .updateTable('alerts')
    .where('org_id', '=', orgId)
    .where('type', '=', type)
    .where('subject', '=', subjectId)
    .where('since', '=', since);

export const listAlerts: Operation<AlertStore['listAlerts']> = async db =>
  (await db.selectFrom('alerts').selectAll().where('subject', '<>', WHOLE_TYPE).execute()).map(toAlert);

export const beginAlert: Operation<AlertStore['beginAlert']> = async (db, alert, notAfter) => {
  const { orgId, type, subjectId, since, details } = alert;
  await db
    .insertInto('alerts')
    .values({
      org_id: orgId,
      type,
      subject: subjectId,
      since,
      raised_at: null,
      recovered_at: null,
      details: JSON.stringify(details),
    })
    .onConflict(conflict =>
      conflict
        .columns(['org_id', 'type', 'subject'])
        .doUpdateSet({
          since: eb => eb.ref('excluded.since'),
          details: eb => eb.ref('excluded.details'),
          raised_at: null,
          recovered_at: null,
        })
        .where('alerts.recovered_at', 'is not', null)
        .where('alerts.raised_at', '<=', notAfter),
    )
    .execute();
  const row = await db
    .selectFrom('alerts')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('type', '=', type)
    .where('subject', '=', subjectId)
    .where('raised_at', 'is', null)
    .executeTakeFirst();
  return row ? toAlert(row) : null;
};

export const markRaised: Operation<AlertStore['markRaised']> = async (db, alert, at) => {
  await isAlert(db, alert).set({ raised_at: at }).where('raised_at', 'is', null).execute();
};

export const markRecovered: Operation<AlertStore['markRecovered']> = async (db, alert, at) => {
  await isAlert(db, alert).set({ recovered_at: at }).where('raised_at', 'is not', null).execute();
};

export const forgetAlert: Operation<AlertStore['forgetAlert']> = async (db, alert) => {
  await db
    .deleteFrom('alerts')
    .where('org_id', '=', alert.orgId)
    .where('type', '=', alert.type)
    .where('subject', '=', alert.subjectId)
    .where('since', '=', alert.since)
    .execute();
};

export const noteRaised: Operation<AlertStore['noteRaised']> = async (db, orgId, type, at) => {
  await db
    .insertInto('alerts')
    .values({
      org_id: orgId,
      type,
      subject: WHOLE_TYPE,
      since: at,
      raised_at: at,
      recovered_at: at,
      details: 'null',
    })
    .onConflict(conflict =>
      conflict.columns(['org_id', 'type', 'subject']).doUpdateSet({ since: at, raised_at: at }),
    )
    .execute();
};

export const markAnnounced: Operation<AlertStore['markAnnounced']> = async (db, orgId, jobId) => {
  await db
    .updateTable('jobs')
    .set({ announced: 1 })
    .where('org_id', '=', orgId)
    .where('id', '=', jobId)
    .execute();
};

export const readRaised: Operation<AlertStore['readRaised']> = async (db, orgId) => {
  const rows = await db
    .selectFrom('alerts')
    .select(['type', 'since'])
    .where('org_id', '=', orgId)
    .where('subject', '=', WHOLE_TYPE)
    .execute();
  return {
    lastAt: Object.fromEntries(rows.map(({ type, since }) => [type, since])),
    isFirst: (await findFirstOrganisation(db)) === orgId,
  };
};

export const findFirstOrganisation: Operation<AlertStore['findFirstOrganisation']> = async db => {
  const { rows } = await sql<{ id: string | null }>`
    SELECT id FROM organisations
    WHERE id = coalesce(
      (SELECT value FROM settings WHERE name = ${OPERATOR_SETTING}), (SELECT min(id) FROM organisations))`.execute(
    db,
  );
  return rows[0]?.id ?? null;
};
