import { tallies } from '../../../core/event/outcome.ts';
import type { CounterStore } from '../../../core/stores/counters.ts';
import type { Operation } from '../../operation.ts';

/** What the classify steps of a pipeline asked of models, and what they did not have to ask. */
export const readTallies: Operation<CounterStore['readTallies']> = async (db, orgId, pipelineId) => {
  const rows = await db
    .selectFrom('tallies')
    .select(['tally', 'count'])
    .where('org_id', '=', orgId)
    .where('pipeline_id', '=', pipelineId)
    .execute();
  const counted = new Map(rows.map(({ tally, count }) => [tally, count]));
  return Object.fromEntries(tallies.map(tally => [tally, counted.get(tally) ?? 0])) as Awaited<
    ReturnType<CounterStore['readTallies']>
  >;
};
