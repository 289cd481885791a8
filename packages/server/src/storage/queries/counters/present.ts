import { sql } from 'kysely';
import { idFloor } from '../../../core/ids.ts';
import type { CappedCount, CounterStore } from '../../../core/stores/counters.ts';
import type { Operation } from '../../operation.ts';
import { countOpen } from '../deliveries/open-deliveries.ts';

/**
 * Deliveries that have not arrived, by their present state. Each state has an index of its own that is in the order in
 * which they were made, so that no more of them are looked at than are counted.
 */
export const countPresent: Operation<CounterStore['countPresent']> = async (
  db,
  orgId,
  { from, to, destination },
  most,
) => {
  const filter = { destination, madeAfter: from - 1, madeBefore: to };
  const open = async (state: 'pending' | 'delivering' | 'retrying' | 'held') =>
    countOpen(db, orgId, state, filter, most + 1);
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (
      SELECT 1 AS one FROM deliveries
      WHERE org_id = ${orgId} AND state = 'dead' AND id >= ${idFloor('dlv', from)} AND id < ${idFloor('dlv', to)}
        ${destination === undefined ? sql`` : sql`AND destination_id = ${destination}`}
      LIMIT ${most + 1}) AS seen`.execute(db);
  const capped = (count: number): CappedCount => ({ count: Math.min(count, most), more: count > most });
  return {
    waiting: capped((await open('pending')) + (await open('delivering'))),
    retrying: capped(await open('retrying')),
    held: capped(await open('held')),
    dead: capped(Number(rows[0]?.count ?? 0)),
  };
};
