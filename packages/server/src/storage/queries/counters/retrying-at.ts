import { sql } from 'kysely';
import type { CappedCount, CounterStore } from '../../../core/stores/counters.ts';
import type { PlannedRun } from '../../../core/stores/event-queue.ts';
import type { Operation } from '../../operation.ts';

/**
 * Events whose runs are to be tried again, by the pipelines that will: their plans say which. A plan holds the trace of
 * its last try, so that what is read is bounded in bytes too.
 */
export const countRetryingAt: Operation<CounterStore['countRetryingAt']> = async (
  db,
  orgId,
  { most, bytes },
) => {
  // While it is tried again its plan stands with the claim.
  const planIn = (table: 'parked_events' | 'event_claims') => sql`(
    SELECT plan FROM ${sql.table(table)} AS planned
    WHERE planned.org_id = ${orgId} AND planned.event_id = seen.id AND planned.job_id = '')`;
  const { rows } = await sql<{ plan: string | null; is_read: number }>`
    SELECT CASE WHEN so_far <= ${bytes} THEN plan END AS plan, CASE WHEN so_far <= ${bytes} THEN 1 ELSE 0 END AS is_read
    FROM (
      SELECT id, plan, coalesce(sum(octet_length(plan)) OVER (ORDER BY id DESC), 0) AS so_far FROM (
        SELECT id, coalesce(${planIn('parked_events')}, ${planIn('event_claims')}) AS plan FROM (
          SELECT id FROM events WHERE org_id = ${orgId} AND state = 'deferred' ORDER BY id DESC LIMIT ${most + 1}
        ) AS seen) AS found) AS sized
    ORDER BY id DESC`.execute(db);
  // Where the look ended early, there may be more of each.
  const more = rows.length > most || rows.some(({ is_read }) => Number(is_read) === 0);
  const counts = new Map<string, number>();
  for (const { plan } of rows.slice(0, most)) {
    const runs = plan === null ? [] : (JSON.parse(plan) as PlannedRun[]);
    for (const id of new Set(runs.map(({ pipelineId }) => pipelineId)))
      counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return new Map([...counts].map(([id, count]): [string, CappedCount] => [id, { count, more }]));
};
