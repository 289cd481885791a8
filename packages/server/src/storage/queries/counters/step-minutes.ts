import { sql } from 'kysely';
import { minutes } from '../../../core/clock.ts';
import { tallies } from '../../../core/event/outcome.ts';
import { type CounterStore, STEP_DROPPED } from '../../../core/stores/counters.ts';
import { latencyNames } from '../../../core/stores/latency.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';

/** Minutes of steps, removed while their hours stay. */

const STEPS_AT_ONCE = 20;
/** Their subjects stand among those of pipelines and of what leads from them: see `stepOf`. */
const [FIRST, PAST, STEPS] = ['pipe_', 'pipe`', 'pipe%#%'];
const NAMES = [STEP_DROPPED, ...tallies, ...latencyNames];

/**
 * Step by step along the key of counters: by age alone, the minutes of everything else would be looked through with them,
 * which are kept for much longer.
 */
export const pruneStepMinutes: Operation<CounterStore['pruneStepMinutes']> = async (
  db,
  orgId,
  before,
  { after, limit },
) => {
  const steps = await listSteps(db, orgId, after);
  if (steps.length === 0) return null;
  const key = ['org_id', 'subject', 'name', 'span', 'at'] as const;
  const old = db
    .selectFrom('counters')
    .select(key)
    .where('org_id', '=', orgId)
    .where('subject', 'in', steps)
    .where('name', 'in', NAMES)
    .where('span', '=', minutes(1))
    .where('at', '<', before)
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('counters')
    .where(eb => eb(eb.refTuple(...key), 'in', old.$asTuple(...key)))
    .executeTakeFirst();
  if (Number(numDeletedRows) >= limit) return after;
  return steps.length < STEPS_AT_ONCE ? null : (steps.at(-1) ?? null);
};

/** Jumps from subject to subject, however many minutes there are of each. */
async function listSteps(db: Db, orgId: string, after: string): Promise<string[]> {
  const first = after === '' ? FIRST : after;
  const next = sql`SELECT min(subject) FROM counters WHERE org_id = ${orgId} AND subject < ${PAST} AND subject`;
  const { rows } = await sql<{ subject: string }>`
    WITH RECURSIVE subjects (subject) AS (
      ${next} > ${first}
      UNION ALL
      SELECT (${next} > subjects.subject) FROM subjects WHERE subjects.subject IS NOT NULL)
    SELECT subject FROM subjects WHERE subject LIKE ${STEPS} LIMIT ${STEPS_AT_ONCE}`.execute(db);
  return rows.map(({ subject }) => subject);
}
