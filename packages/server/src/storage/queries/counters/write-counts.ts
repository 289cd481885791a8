import { sql } from 'kysely';
import { hours, minutes } from '../../../core/clock.ts';
import type { Count } from '../../../core/stores/counters.ts';
import type { Db, Schema } from '../../schema.ts';

/** Counts on their way into the table: each added to its minute and to its hour. */

const MINUTE = minutes(1);
const HOUR = hours(1);
/** A statement has room for a limited number of values. */
const ROWS_A_STATEMENT = 1_000;

type Row = Schema['counters'];

export async function writeCounts(db: Db, counts: readonly Count[]): Promise<void> {
  const known = await existing(db, new Set(counts.map(({ orgId }) => orgId)));
  const rows = toRows(counts.filter(({ orgId }) => known.has(orgId)));
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
    await db
      .insertInto('counters')
      .values(rows.slice(from, from + ROWS_A_STATEMENT))
      .onConflict(conflict =>
        conflict.columns(['org_id', 'subject', 'name', 'span', 'at']).doUpdateSet({
          amount: sql<number>`counters.amount + excluded.amount`,
        }),
      )
      .execute();
  }
}

/** A count may come in after its organisation was deleted: nobody would ever remove it. */
async function existing(db: Db, ids: ReadonlySet<string>): Promise<Set<string>> {
  if (ids.size === 0) return new Set();
  const rows = await db
    .selectFrom('organisations')
    .select('id')
    .where('id', 'in', [...ids])
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/**
 * Each count once for its minute and once for its hour, added up: a statement may not touch a row twice. In one
 * order, so that two nodes that count the same cannot wait for each other.
 */
export function toRows(counts: readonly Count[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { orgId, subject, name, at, amount } of counts) {
    for (const span of [MINUTE, HOUR]) {
      const begins = Math.floor(at / span) * span;
      const key = `${orgId}\n${subject}\n${name}\n${span}\n${begins}`;
      const row = rows.get(key);
      if (row) row.amount += amount;
      else rows.set(key, { org_id: orgId, subject, name, span, at: begins, amount });
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
