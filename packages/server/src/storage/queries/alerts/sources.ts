import { type SqlBool, sql } from 'kysely';
import { minutes } from '../../../core/clock.ts';
import type { Trouble, TroubleThresholds } from '../../../core/stores/alerts.ts';
import type { Db } from '../../schema.ts';

/** Sources that reject what is sent to them, and those that nothing is sent to. */

/**
 * From one source to the next along the index, without a limit to how many: one organisation's flood must not hide what
 * another's source rejects. Of each no more are kept than can be counted at a glance.
 */
export async function findRejecting(
  db: Db,
  { countedFrom, rejections }: TroubleThresholds,
): Promise<Trouble[]> {
  const ofIt = sql`FROM rejections WHERE source_id = rejecting.id AND at >= ${countedFrom}`;
  const { rows } = await sql<{ source_id: string; rejected: number; first_at: number }>`
    WITH RECURSIVE rejecting (id) AS (
      SELECT min(source_id) FROM rejections
      UNION ALL
      SELECT (SELECT min(source_id) FROM rejections WHERE source_id > rejecting.id)
      FROM rejecting WHERE rejecting.id IS NOT NULL)
    SELECT source_id, rejected, first_at FROM (
      SELECT id AS source_id, (SELECT count(*) ${ofIt}) AS rejected, (SELECT min(at) ${ofIt}) AS first_at
      FROM rejecting WHERE id IS NOT NULL) AS counted
    WHERE rejected >= ${rejections}`.execute(db);
  const found: Trouble[] = [];
  for (const { source_id, rejected, first_at } of rows) {
    const source = await db
      .selectFrom('sources')
      .select(['id', 'org_id', 'kind', 'name'])
      .where('id', '=', source_id)
      .executeTakeFirst();
    if (!source) continue;
    const last = await db
      .selectFrom('rejections')
      .select(['code', 'message'])
      .where('source_id', '=', source_id)
      .orderBy('at', 'desc')
      .orderBy('n', 'desc')
      .limit(1)
      .executeTakeFirst();
    found.push({
      orgId: source.org_id,
      type: 'sluice.source.rejecting',
      subject: { type: 'source', id: source.id, name: source.name, kind: source.kind },
      since: Number(first_at),
      counts: { rejected: Number(rejected) },
      lastError: last ? `${last.code}: ${last.message}` : null,
    });
  }
  return found;
}

/** Its last event; or its last change, for whoever has just set what is expected. */
const lastHeard = sql<number>`CASE WHEN last_event_at > updated_at THEN last_event_at ELSE updated_at END`;

export async function findQuiet(db: Db, now: number): Promise<Trouble[]> {
  const rows = await db
    .selectFrom('sources')
    .select(['id', 'org_id', 'kind', 'name', 'expect_every_minutes', lastHeard.as('heard_at')])
    .where('expect_every_minutes', 'is not', null)
    .where('enabled', '=', 1)
    .where(sql<SqlBool>`${lastHeard} + expect_every_minutes * 60000 < ${now}`)
    // Without a limit: one organisation's many must not hide another's.
    .execute();
  return rows.map(row => ({
    orgId: row.org_id,
    type: 'sluice.source.quiet',
    subject: { type: 'source', id: row.id, name: row.name, kind: row.kind },
    since: Number(row.heard_at),
    counts: {
      expect_every_minutes: row.expect_every_minutes ?? 0,
      quiet_minutes: Math.floor((now - Number(row.heard_at)) / minutes(1)),
    },
    lastError: null,
  }));
}
