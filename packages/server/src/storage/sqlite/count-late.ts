import type { Database } from 'bun:sqlite';
import type { Count } from '../../core/stores/counters.ts';
import { toRows } from '../queries/counters/write-counts.ts';

/** Counts in the transaction that records what they count. */
export function prepareCountLate(database: Database): (counts: readonly Count[]) => void {
  const count = database.prepare(
    `INSERT INTO counters (org_id, subject, name, span, at, amount) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (org_id, subject, name, span, at) DO UPDATE SET amount = amount + excluded.amount`,
  );
  return counts => {
    for (const { org_id, subject, name, span, at, amount } of toRows(counts)) {
      count.run(org_id, subject, name, span, at, amount);
    }
  };
}
