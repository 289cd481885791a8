import { sql } from 'kysely';
import type { CounterStore } from '../../../core/stores/counters.ts';
import type { PlannedRun } from '../../../core/stores/event-queue.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';

/**
 * Events whose runs are to be tried again, by the pipelines that will: their plans say which. A plan holds the trace of
 * its last try, so that what is read is bounded in bytes too: they are measured first, which reads none of them.
 */
export const countRetryingAt: Operation<CounterStore['countRetryingAt']> = async (
  db,
  orgId,
  { most, bytes },
) => {
  const found = await sizesOf(db, orgId, most + 1);
  const read = { parked_events: [] as string[], event_claims: [] as string[] };
  let covered = 0;
  let soFar = 0;
  for (const { id, parked, claimed } of found.slice(0, most)) {
    soFar += Number(parked ?? claimed ?? 0);
    if (soFar > bytes) break;
    covered++;
    read[parked === null ? 'event_claims' : 'parked_events'].push(id);
  }
  const plans = [
    ...(await plansIn(db, orgId, 'parked_events', read.parked_events)),
    ...(await plansIn(db, orgId, 'event_claims', read.event_claims)),
  ];
  const counts = new Map<string, number>();
  for (const plan of plans) {
    const runs = JSON.parse(plan) as PlannedRun[];
    for (const id of new Set(runs.map(({ pipelineId }) => pipelineId)))
      counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return { counts, more: covered < found.length };
};

/** Of the newest. While one is tried again its plan stands with the claim. */
const sizesOf = (db: Db, orgId: string, limit: number) =>
  db
    .selectFrom(eb =>
      eb
        .selectFrom('events')
        .select('id')
        .where('org_id', '=', orgId)
        .where('state', '=', 'deferred')
        .orderBy('id', 'desc')
        .limit(limit)
        .as('seen'),
    )
    .leftJoin('parked_events', join =>
      join
        .onRef('parked_events.event_id', '=', 'seen.id')
        .on('parked_events.org_id', '=', orgId)
        .on('parked_events.job_id', '=', ''),
    )
    .leftJoin('event_claims', join =>
      join
        .onRef('event_claims.event_id', '=', 'seen.id')
        .on('event_claims.org_id', '=', orgId)
        .on('event_claims.job_id', '=', ''),
    )
    .select([
      'seen.id',
      sql<number | null>`octet_length(parked_events.plan)`.as('parked'),
      sql<number | null>`octet_length(event_claims.plan)`.as('claimed'),
    ])
    .orderBy('seen.id', 'desc')
    .execute();

async function plansIn(
  db: Db,
  orgId: string,
  table: 'parked_events' | 'event_claims',
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom(table)
    .select('plan')
    .where('org_id', '=', orgId)
    .where('job_id', '=', '')
    .where('event_id', 'in', ids)
    .execute();
  return rows.flatMap(({ plan }) => plan ?? []);
}
