import { sql } from 'kysely';
import { hours, minutes } from '../../../core/clock.ts';
import type { Count, CounterStore, CounterWindow } from '../../../core/stores/counters.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';

/** Counters by the minute and by the hour: added, read by windows, pruned. */

const MINUTE = minutes(1);
const HOUR = hours(1);
/** A statement has room for a limited number of values. */
const ROWS_A_STATEMENT = 1_000;

type Row = Schema['counters'];

export const addCounts: Operation<CounterStore['addCounts']> = async (db, counts) => {
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
};

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

export const readCounters: Operation<CounterStore['readCounters']> = async (
  db,
  orgId,
  subjects,
  names,
  window,
) => {
  if (subjects.length === 0 || names.length === 0) return [];
  const sums = new Map<string, { subject: string; name: string; point: number; amount: number }>();
  for (const { span, from, to } of rangesOf(window)) {
    const rows = await db
      .selectFrom('counters')
      .select(eb => [
        'subject',
        'name',
        sql<number>`(at - CAST(${window.from} AS BIGINT)) / CAST(${window.stepMs} AS BIGINT)`.as('point'),
        eb.fn.sum<number>('amount').as('amount'),
      ])
      .where('org_id', '=', orgId)
      .where('subject', 'in', subjects)
      .where('name', 'in', names)
      .where('span', '=', span)
      .where('at', '>=', from)
      .where('at', '<', to)
      .groupBy(['subject', 'name', 'point'])
      .execute();
    for (const { subject, name, point, amount } of rows) {
      const key = `${subject}\n${name}\n${point}`;
      const sum = sums.get(key);
      if (sum) sum.amount += Number(amount);
      else sums.set(key, { subject, name, point: Number(point), amount: Number(amount) });
    }
  }
  return [...sums.values()];
};

/** From here on a stretch has enough whole hours in it that they are worth being read apart. */
const LONG_MS = hours(6);

/** By which rows a window is added up: a long stretch by its whole hours, and by the minutes before and after them. */
export function rangesOf({ from, stepMs, points }: CounterWindow) {
  const to = from + points * stepMs;
  if (from % HOUR === 0 && stepMs % HOUR === 0) return [{ span: HOUR, from, to }];
  if (points > 1 || stepMs < LONG_MS) return [{ span: MINUTE, from, to }];
  const [first, last] = [Math.ceil(from / HOUR) * HOUR, Math.floor(to / HOUR) * HOUR];
  return [
    { span: MINUTE, from, to: first },
    { span: HOUR, from: first, to: last },
    { span: MINUTE, from: last, to },
  ].filter(range => range.from < range.to);
}

export const pruneCounters: Operation<CounterStore['pruneCounters']> = async (db, orgId, before, limit) => {
  const old = db
    .selectFrom('counters')
    .select(['org_id', 'subject', 'name', 'span', 'at'])
    .where('org_id', '=', orgId)
    .where('at', '<', before)
    .orderBy('at')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('counters')
    .where(eb =>
      eb(
        eb.refTuple('org_id', 'subject', 'name', 'span', 'at'),
        'in',
        old.$asTuple('org_id', 'subject', 'name', 'span', 'at'),
      ),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
};
