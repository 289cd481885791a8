import { sql } from 'kysely';
import { hours, minutes } from '../../../core/clock.ts';
import {
  type Count,
  type CounterStore,
  type CounterWindow,
  isRecounted,
} from '../../../core/stores/counters.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { databaseTime } from '../database-time.ts';
import { noteUnwritten } from './lost-counts.ts';
import { isNotRecounted } from './unwritten-minutes.ts';
import { writeCounts } from './write-counts.ts';

/** Counters by the minute and by the hour: added, read by windows, pruned. */

const MINUTE = minutes(1);
const HOUR = hours(1);

/**
 * What is written here may stand there already, where an earlier commit was in doubt, and may have to wait until its
 * minute has been counted again by somebody else: noted together with it, it is put right in any case, once it is there.
 */
export const addCounts: Operation<CounterStore['addCounts']> = async (db, counts, nodeId) => {
  if (await isAlive(db, nodeId)) return writeCounts(db, counts);
  const now = await databaseTime(db);
  await noteUnwritten(db, counts.filter(isRecounted));
  // It may have been counted again since its node was declared dead, and would stand there twice until it is so once more.
  const isTooLate = (count: Count) => isRecounted(count) && !isNotRecounted(count.at, now);
  await writeCounts(
    db,
    counts.filter(count => !isTooLate(count)),
  );
};

async function isAlive(db: Db, nodeId: string | null): Promise<boolean> {
  if (nodeId === null) return false;
  const found = await db.selectFrom('nodes').select('id').where('id', '=', nodeId).executeTakeFirst();
  return found !== undefined;
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
