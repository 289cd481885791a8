import { type SqlBool, sql } from 'kysely';
import { minutes } from '../../../core/clock.ts';
import type { Trouble, TroubleThresholds } from '../../../core/stores/alerts.ts';
import type { Db } from '../../schema.ts';

/** Sources that reject what is sent to them, and those that nothing is sent to. */

/** The latest of the window: in a flood the earlier ones of it are left out. */
const MOST_LOOKED_AT = 20_000;
const MOST_FOUND = 500;

export async function findRejecting(
  db: Db,
  { countedFrom, rejections }: TroubleThresholds,
): Promise<Trouble[]> {
  const latest = db
    .selectFrom('rejections')
    .select(['source_id', 'at'])
    .where('at', '>=', countedFrom)
    .orderBy('at', 'desc')
    .limit(MOST_LOOKED_AT);
  const counted = await db
    .selectFrom(latest.as('latest'))
    .select(eb => [
      'source_id',
      eb.fn.countAll<number>().as('rejected'),
      eb.fn.min('at').as('first_at'),
      eb.fn.max('at').as('last_at'),
    ])
    .groupBy('source_id')
    .having(eb => eb.fn.countAll(), '>=', rejections)
    .limit(MOST_FOUND)
    .execute();
  const found: Trouble[] = [];
  for (const { source_id, rejected, first_at } of counted) {
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
