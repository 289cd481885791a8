import { sql } from 'kysely';

/** Jumps from destination to destination along the index of open deliveries, however much waits behind each. */
export const waitingIds = sql`
  WITH RECURSIVE waiting (id) AS (
    SELECT min(destination_id) FROM deliveries WHERE state IN ('pending', 'retrying')
    UNION ALL
    SELECT (SELECT min(destination_id) FROM deliveries
            WHERE state IN ('pending', 'retrying') AND destination_id > waiting.id)
    FROM waiting WHERE waiting.id IS NOT NULL)`;

/** The organisation whose deliveries wait there: with it a destination is found by its key. */
export const ownerOfWaiting = sql`(
  SELECT org_id FROM deliveries
  WHERE state IN ('pending', 'retrying') AND destination_id = waiting.id LIMIT 1)`;
