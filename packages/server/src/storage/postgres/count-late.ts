import type { Count } from '../../core/stores/counters.ts';
import { toRows } from '../queries/counters/write-counts.ts';
import { bigintArray, textArray } from './arrays.ts';
import type { Session } from './sessions.ts';

/** Counts in the transaction that records what they count: last of all, since others that count the same wait for its end. */
export async function countLate(session: Session, counts: readonly Count[]): Promise<void> {
  const rows = toRows(counts);
  if (rows.length === 0) return;
  await session.query(
    `INSERT INTO counters (org_id, subject, name, span, at, amount)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
     ON CONFLICT (org_id, subject, name, span, at) DO UPDATE SET amount = counters.amount + excluded.amount`,
    [
      textArray(rows.map(({ org_id }) => org_id)),
      textArray(rows.map(({ subject }) => subject)),
      textArray(rows.map(({ name }) => name)),
      bigintArray(rows.map(({ span }) => span)),
      bigintArray(rows.map(({ at }) => at)),
      bigintArray(rows.map(({ amount }) => amount)),
    ],
  );
}
