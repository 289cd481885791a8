import { sql } from 'kysely';
import { type CounterStore, EVENT_TYPES } from '../../../core/stores/counters.ts';
import type { Operation } from '../../operation.ts';

/** Jumps from type to type along the key of counters, however many minutes there are of each. */
export const listCountedTypes: Operation<CounterStore['listCountedTypes']> = async (db, orgId, most) => {
  const ofTypes = sql`FROM counters WHERE org_id = ${orgId} AND subject = ${EVENT_TYPES}`;
  const { rows } = await sql<{ name: string }>`
    WITH RECURSIVE types (name) AS (
      SELECT min(name) ${ofTypes}
      UNION ALL
      SELECT (SELECT min(name) ${ofTypes} AND name > types.name) FROM types WHERE types.name IS NOT NULL)
    SELECT name FROM types WHERE name IS NOT NULL LIMIT ${most}`.execute(db);
  return rows.map(({ name }) => name);
};
