import { sql } from 'kysely';
import { idTime } from '../../../core/ids.ts';
import type { EventFilter, Journal } from '../../../core/stores/journal.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { fatesOf } from './fates.ts';
import { matching, type Stretch, searchDown } from './search.ts';

/** When events came in, and of which types: what a histogram, a count and a filter are made of. */

/** Of what no index answers, whether it matches or not. */
const MOST_LOOKED_AT = 200_000;

export const listEventTimes: Operation<Journal['listEventTimes']> = async (
  db,
  orgId,
  filter,
  { most, budgetMs },
) => {
  const { found, stoppedAt } = await searchDown(
    db,
    orgId,
    filter,
    { wanted: most + 1, below: null, budgetMs, mostLookedAt: MOST_LOOKED_AT },
    (stretch, wanted) => idsOf(db, orgId, filter, stretch, wanted),
  );
  const oldest = await db
    .selectFrom('events')
    .select('id')
    .where('org_id', '=', orgId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return {
    times: found.slice(0, most).map(idTime),
    more: found.length > most,
    searchedTo: stoppedAt === null ? null : idTime(stoppedAt),
    oldest: oldest === undefined ? null : idTime(oldest.id),
  };
};

/** Of those that may have come to an outcome, so many at least are looked at more closely at a time. */
const LEAST_AT_ONCE = 200;

/** As `listEvents` finds them, without what is shown of each. */
async function idsOf(
  db: Db,
  orgId: string,
  filter: EventFilter,
  stretch: Stretch,
  wanted: number,
): Promise<{ found: string[]; last: string | null }> {
  const { outcome } = filter;
  const query = matching(db, orgId, filter, stretch).select('events.id');
  // Of ids alone, an index knows all there is to know.
  if (outcome === undefined)
    return { found: (await query.limit(wanted).execute()).map(({ id }) => id), last: null };
  const most = Math.max(wanted, LEAST_AT_ONCE);
  const rows = await query.select('events.state').limit(most).execute();
  const fates = await fatesOf(db, orgId, rows);
  const found = rows.filter(({ id }) => fates.get(id)?.outcome === outcome).map(({ id }) => id);
  const isCut = rows.length === most && found.length < wanted;
  return { found: found.slice(0, wanted), last: isCut ? (rows.at(-1)?.id ?? null) : null };
}

export const listEventTypes: Operation<Journal['listEventTypes']> = async (db, orgId, { latest, most }) => {
  const { rows } = await sql<{ type: string; count: number }>`
    SELECT type, count(*) AS count FROM (
      SELECT type FROM events WHERE org_id = ${orgId} ORDER BY id DESC LIMIT ${latest}) AS latest
    GROUP BY type ORDER BY count(*) DESC, type LIMIT ${most}`.execute(db);
  return rows.map(({ type, count }) => ({ type, count: Number(count) }));
};
