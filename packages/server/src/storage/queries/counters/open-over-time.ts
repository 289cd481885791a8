import { idTime } from '../../../core/ids.ts';
import type { CounterStore } from '../../../core/stores/counters.ts';
import type { Operation } from '../../operation.ts';
import { listOpenIds } from '../deliveries/open-deliveries.ts';

const STATES = ['pending', 'delivering', 'retrying', 'held'] as const;

/**
 * Open deliveries by when they were made. No counter knows them, since what is cancelled is counted by nobody: their ids are
 * read along the indexes of what waits, no more of each state than are counted.
 */
export const countOpenOverTime: Operation<CounterStore['countOpenOverTime']> = async (
  db,
  orgId,
  { from, stepMs, points },
  most,
) => {
  const made = { madeAfter: from - 1, madeBefore: from + points * stepMs };
  const ids: string[] = [];
  for (const state of STATES)
    ids.push(...(await listOpenIds(db, orgId, state, made, { limit: most + 1, below: null })));
  const latest = ids.sort((a, b) => (a < b ? 1 : -1)).slice(0, most);
  const counts = new Array<number>(points).fill(0);
  for (const id of latest) {
    const point = Math.floor((idTime(id) - from) / stepMs);
    counts[point] = (counts[point] ?? 0) + 1;
  }
  return { counts, more: ids.length > most };
};
