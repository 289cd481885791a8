import { sql } from 'kysely';
import type { CounterStore } from '../../../core/stores/counters.ts';
import type { Operation } from '../../operation.ts';
import { countFailedEvents } from '../deliveries/dead-letters.ts';
import { isHeld } from '../deliveries/held.ts';

/** What the side bar says: of each no more rows are looked at than are counted, along indexes that hold nothing else. */
export const countBadges: Operation<CounterStore['countBadges']> = async (db, orgId, most) => {
  const count = async (rows: ReturnType<typeof sql>): Promise<number> => {
    const { rows: found } = await sql<{ count: number }>`SELECT count(*) AS count ${rows}`.execute(db);
    return Number(found[0]?.count ?? 0);
  };
  const dead = await count(sql`FROM (
    SELECT 1 AS one FROM deliveries WHERE org_id = ${orgId} AND state = 'dead' LIMIT ${most + 1}) AS seen`);
  const deadLetters = dead > most ? dead : dead + (await countFailedEvents(db, orgId, {}, most + 1 - dead));
  return {
    deadLetters: { count: Math.min(deadLetters, most), more: deadLetters > most },
    // What is paused or held is called that in the list, whatever its circuit.
    destinationsDown: await count(
      sql`FROM destinations WHERE breaker_opened_at IS NOT NULL AND org_id = ${orgId} AND NOT ${isHeld}`,
    ),
    runningJobs: await count(sql`FROM jobs WHERE finished_at IS NULL AND org_id || '' = ${orgId}`),
  };
};
