import { minutes } from '../../../core/clock.ts';
import { newId } from '../../../core/ids.ts';
import type { Count } from '../../../core/stores/counters.ts';
import type { UpkeepStore } from '../../../core/stores/upkeep.ts';
import { NODE_SILENCE_MS } from '../../../core/work/membership.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { databaseTime } from '../database-time.ts';
import { recountMinute } from './recount.ts';
import { minutesOf, startOfMinute } from './unwritten-minutes.ts';

/** The minutes in which a node had counted something that it did not write, until they are counted again. */

const MINUTE = minutes(1);

type Node = Pick<Schema['nodes'], 'id' | 'seen_at'>;

/** It may have gone on for as long as it was not declared dead. */
const minutesOfDeath = (seenAt: number) => minutesOf(seenAt, seenAt + NODE_SILENCE_MS);

export async function noteDeaths(db: Db, dead: readonly Node[], now: number): Promise<void> {
  if (dead.length === 0) return;
  const lost = dead.map(({ id, seen_at }) => {
    const { from, to } = minutesOfDeath(seen_at);
    return { node_id: id, seen_at, buried_at: now, from_at: from, to_at: to, after_org: '' };
  });
  await db.insertInto('lost_counts').values(lost).execute();
}

/** Under an id of its own: the death of whoever counted may be noted already, and be counted again by now. */
export async function noteUnwritten(db: Db, counts: readonly Count[]): Promise<void> {
  if (counts.length === 0) return;
  const times = counts.map(({ at }) => startOfMinute(at));
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const lost = { node_id: newId('node'), seen_at: to, buried_at: await databaseTime(db), after_org: '' };
  await db
    .insertInto('lost_counts')
    .values({ ...lost, from_at: from, to_at: to })
    .execute();
}

export const recountAfter: Operation<UpkeepStore['recountAfter']> = async (db, ms) => {
  const lost = await takeFirst(db, (await databaseTime(db)) - ms);
  if (lost === undefined) return false;
  const { node_id, seen_at, from_at, to_at, after_org } = lost;
  const ofDeath = minutesOfDeath(seen_at);
  const [from, to] = [from_at ?? ofDeath.from, to_at ?? ofDeath.to];
  if (from > to) {
    await db.deleteFrom('lost_counts').where('node_id', '=', node_id).execute();
    return true;
  }
  const last = await recountMinute(db, from, after_org);
  const next = last === null ? { from_at: from + MINUTE, after_org: '' } : { from_at: from, after_org: last };
  await db
    .updateTable('lost_counts')
    .set({ ...next, to_at: to })
    .where('node_id', '=', node_id)
    .execute();
  return true;
};

/**
 * Updated, so that it is locked: two nodes that find the same missing would both add it. For the same reason always the
 * first, since others may be of the same minutes.
 */
const takeFirst = (db: Db, buriedBy: number) =>
  db
    .updateTable('lost_counts')
    .set(eb => ({ buried_at: eb.ref('buried_at') }))
    .where('node_id', '=', eb =>
      eb
        .selectFrom('lost_counts as due')
        .select('due.node_id')
        .where('due.buried_at', '<=', buriedBy)
        .orderBy('due.buried_at')
        .orderBy('due.node_id')
        .limit(1),
    )
    .returningAll()
    .executeTakeFirst();
