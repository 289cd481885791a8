import type { CounterStore } from '../../../core/stores/counters.ts';
import { read, type StoreOperations, snapshot, write } from '../../operation.ts';
import * as backlog from './backlog.ts';
import { countBadges } from './badges.ts';
import * as counters from './counters.ts';
import { countOpenOverTime } from './open-over-time.ts';
import { countPresent, countPresentOfEach } from './present.ts';
import { countRetryingAt } from './retrying-at.ts';
import { pruneStepMinutes } from './step-minutes.ts';
import { readTallies } from './tallies.ts';
import { listCountedTypes } from './types.ts';
import { countWaitingAt } from './waiting-at.ts';

/** Counters for charts, and how much is waiting. */
export const counterOperations: StoreOperations<CounterStore> = {
  addCounts: write(counters.addCounts),
  readCounters: snapshot(counters.readCounters),
  listCountedTypes: read(listCountedTypes),
  pruneCounters: write(counters.pruneCounters),
  pruneStepMinutes: write(pruneStepMinutes),
  countBacklog: snapshot(backlog.countBacklog),
  countDead: snapshot(backlog.countDead),
  countOpenOverTime: snapshot(countOpenOverTime),
  countPresent: snapshot(countPresent),
  countWaitingAt: snapshot(countWaitingAt),
  countRetryingAt: snapshot(countRetryingAt),
  countPresentOfEach: snapshot(countPresentOfEach),
  countBadges: snapshot(countBadges),
  countWaiting: snapshot(backlog.countWaiting),
  readTallies: read(readTallies),
};
