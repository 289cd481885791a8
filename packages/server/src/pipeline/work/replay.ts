import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, seconds } from '../../core/clock.ts';
import { REPLAY_JOB, readReplayRequest } from '../../core/jobs/replay.ts';
import type { EventQueue, PlannedRun } from '../../core/stores/event-queue.ts';
import type { ClaimedJob, Job, JobStore } from '../../core/stores/jobs.ts';
import type { Journal } from '../../core/stores/journal.ts';
import type { Membership } from '../../core/work/membership.ts';

/** How far a replay has come: it counts first, so that its progress can be shown, then parks what is to be run. */
interface Position {
  readonly phase: 'count' | 'park' | 'wait';
  /** Events below this one are still to be looked at. */
  readonly below: string | null;
  readonly found: number;
  readonly parked: number;
}

/** No slice takes as long. Who waits for its turn longest is next by when the last lease ended. */
const LEASE_MS = seconds(30);
const COUNTED_AT_ONCE = 1_000;
const PARKED_AT_ONCE = 250;
/** More than the worker has under way, and little enough to be cancelled at once. */
const MOST_OUTSTANDING = 1_000;
const SEARCH_BUDGET_MS = 500;
/** Between two slices of the replays that are under way, so that others come to storage. */
const BETWEEN_SLICES_MS = 200;

export interface ReplayJobOptions {
  readonly jobs: Pick<JobStore, 'advanceJob' | 'claimJob' | 'finishJob' | 'hasOpenJobs' | 'hasOutstanding'>;
  readonly eventQueue: Pick<EventQueue, 'listFirstRuns'>;
  readonly journal: Pick<Journal, 'findEvent' | 'listEvents'>;
  readonly clock: Clock;
  readonly newToken: Membership['newToken'];
  /** Something was parked. */
  onParked(): void;
  /** A job is gone on with after the next start. */
  isStopping(): boolean;
}

/**
 * Works on every open replay in turn, a slice of each. What a replay parks is claimed, run and settled like any
 * other event, beside what comes in; here it is only decided what that is.
 */
export function createReplayJobs(options: ReplayJobOptions): () => Promise<void> {
  const { jobs, eventQueue, journal, clock } = options;

  return async () => {
    while (!options.isStopping() && (await jobs.hasOpenJobs([REPLAY_JOB], clock.now()))) {
      await workOnEach();
      await sleep(BETWEEN_SLICES_MS);
    }
  };

  async function workOnEach(): Promise<void> {
    const done = new Set<string>();
    while (!options.isStopping()) {
      const token = options.newToken();
      if (token === null) return;
      const job = await jobs.claimJob([REPLAY_JOB], { token, now: clock.now(), leaseMs: LEASE_MS });
      if (job === null) return;
      const isWaiting = await workOn(job);
      // All of them wait for the worker: nothing more to do for now.
      if (isWaiting && done.has(job.id)) return;
      if (isWaiting) done.add(job.id);
      else done.clear();
    }
  }

  /** Answers whether there is nothing to do for it until the worker has got on. */
  async function workOn(job: ClaimedJob): Promise<boolean> {
    const position = readPosition(job);
    switch (position.phase) {
      case 'count':
        return count(job, position);
      case 'park':
        return park(job, position);
      case 'wait': {
        if (await jobs.hasOutstanding(job.orgId, job.id)) {
          await jobs.advanceJob(job, {}, clock.now());
          return true;
        }
        await jobs.finishJob(job.orgId, job.id, 'done', clock.now(), job.token);
        return false;
      }
    }
  }

  async function count(job: ClaimedJob, { below, found: before }: Position): Promise<boolean> {
    const { events, next } = await listSome(job, below, COUNTED_AT_ONCE);
    const found = before + events.length;
    const position: Position =
      next === null
        ? { phase: 'park', below: null, found: 0, parked: 0 }
        : { phase: 'count', below: next, found, parked: 0 };
    await advance(job, { total: found, position });
    return false;
  }

  async function park(
    job: ClaimedJob,
    { below, found: before, parked: parkedBefore }: Position,
  ): Promise<boolean> {
    // What was skipped is in neither count, since it is done when it is found.
    const skippedBefore = before - parkedBefore;
    if (parkedBefore - (job.done - skippedBefore) >= MOST_OUTSTANDING) {
      await jobs.advanceJob(job, {}, clock.now());
      return true;
    }
    const { version } = readReplayRequest(job);
    const { events, next } = await listSome(job, below, PARKED_AT_ONCE);
    const ready = events.filter(({ state }) => state !== 'accepted').map(({ id }) => id);
    const firstRuns = version === 'original' ? await eventQueue.listFirstRuns(job.orgId, ready) : null;
    const replays = ready.flatMap((eventId): { eventId: string; plan: readonly PlannedRun[] | null }[] => {
      if (firstRuns === null) return [{ eventId, plan: null }];
      const plan = firstRuns[eventId];
      return plan === undefined ? [] : [{ eventId, plan }];
    });
    const found = before + events.length;
    const parked = parkedBefore + replays.length;
    await advance(job, {
      done: events.length - replays.length,
      ...(next === null ? { total: found } : {}),
      position: { phase: next === null ? 'wait' : 'park', below: next, found, parked },
      replays,
    });
    if (replays.length > 0) options.onParked();
    return false;
  }

  /** Only what had been accepted when the replay was asked for. */
  async function listSome(job: Job, below: string | null, limit: number) {
    const { eventId, filter } = readReplayRequest(job);
    if (eventId !== undefined) {
      const event = await journal.findEvent(job.orgId, eventId);
      return { events: event === null ? [] : [event], next: null };
    }
    const before = Math.min(filter.before ?? Number.POSITIVE_INFINITY, job.createdAt + 1);
    return journal.listEvents(job.orgId, { ...filter, before }, { limit, below, budgetMs: SEARCH_BUDGET_MS });
  }

  async function advance(
    job: ClaimedJob,
    progress: {
      readonly total?: number;
      readonly done?: number;
      readonly position: Position;
      readonly replays?: readonly { eventId: string; plan: readonly PlannedRun[] | null }[];
    },
  ): Promise<void> {
    const { position, replays = [], ...counts } = progress;
    const stored = { ...counts, position: JSON.stringify(position) };
    await jobs.advanceJob(job, stored, clock.now(), { replays });
  }
}

const readPosition = (job: Job): Position =>
  job.position === null
    ? { phase: 'count', below: null, found: 0, parked: 0 }
    : (JSON.parse(job.position) as Position);
