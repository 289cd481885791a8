import { type Clock, minutes, seconds } from '../../core/clock.ts';
import { UNKNOWN_PIPELINE } from '../../core/event/outcome.ts';
import {
  type DeadLetterSelection,
  DISCARD_JOB,
  RETRY_JOB,
  readSelection,
} from '../../core/jobs/dead-letters.ts';
import type { ConfigurationStore } from '../../core/stores/configuration.ts';
import type { StoredFailure } from '../../core/stores/dead-letters.ts';
import type { DeliveryQueue } from '../../core/stores/delivery-queue.ts';
import type { PlannedRun } from '../../core/stores/event-queue.ts';
import type { ClaimedJob, Job, JobProgress, JobStore, JobWork } from '../../core/stores/jobs.ts';
import type { Membership } from '../../core/work/membership.ts';

/**
 * Dead deliveries go first, then the events that failed. Both go down by id, and never up again: what dies or fails
 * again while a job runs is not retried for ever.
 */
interface Position {
  readonly phase: 'deliveries' | 'events' | 'wait';
  readonly below: string | null;
}

interface Slice {
  readonly next: Position;
  readonly progress: Omit<JobProgress, 'position'>;
  /** Done with the progress or not at all: who was slow and has lost the job to another does nothing twice. */
  readonly work?: JobWork;
}

/** No slice takes as long. Who waits for its turn longest is next by when the last lease ended. */
const LEASE_MS = minutes(1);
/** Until it looks again whether the pipelines are through with what it gave them. */
const REST_MS = seconds(0.5);
const SLICE = 200;
/** Discarding is one statement for all of them. */
const DISCARDED_AT_ONCE = 500;

const LEFT_ALONE = 'Some failed in a pipeline that is now disabled or deleted. They were left as they are.';

/** Retries or discards all dead letters that match, in slices, saying how far it has come and stopping when it is cancelled. */
export function createLetterJobs(options: {
  readonly jobs: Pick<JobStore, 'advanceJob' | 'claimJob' | 'finishJob' | 'hasOpenJobs' | 'hasOutstanding'>;
  readonly deliveryQueue: Pick<DeliveryQueue, 'listDeliveries' | 'listFailedEvents' | 'listFailures'>;
  readonly configuration: Pick<ConfigurationStore, 'readProcessing'>;
  readonly clock: Clock;
  readonly newToken: Membership['newToken'];
  onDeliveriesDue(): void;
  /** So many that were dead are cancelled. */
  onDiscarded(deliveries: number): void;
  isStopping(): boolean;
}): () => Promise<void> {
  const { jobs, deliveryQueue, configuration, clock, isStopping } = options;

  /** Works on every open job that nobody else works on. It looks before it claims: a claim writes. */
  return async () => {
    if (!(await jobs.hasOpenJobs(KINDS, clock.now()))) return;
    while (!isStopping()) {
      const token = options.newToken();
      if (token === null) return;
      const job = await jobs.claimJob(KINDS, { token, now: clock.now(), leaseMs: LEASE_MS });
      if (job === null) return;
      await workOn(job);
    }
  };

  async function workOn(job: ClaimedJob): Promise<void> {
    const selection = readSelection(job);
    let position = readPosition(job);
    for (;;) {
      const slice = await nextSlice(job, selection, position);
      if (slice === 'done') {
        await jobs.finishJob(job.orgId, job.id, 'done', clock.now(), job.token);
        return;
      }
      const { next, progress, work }: Slice = slice === 'wait' ? { next: position, progress: {} } : slice;
      position = next;
      // At a stop it is left to whoever comes next.
      const rest = isStopping() ? 0 : slice === 'wait' ? REST_MS : LEASE_MS;
      const goesOn = await jobs.advanceJob(
        job,
        { ...progress, position: JSON.stringify(position) },
        clock.now() + rest,
        work,
      );
      if (goesOn && work?.deliveries) options.onDeliveriesDue();
      if (goesOn && work?.discards) options.onDiscarded(work.discards.deliveries.length);
      if (!goesOn || slice === 'wait' || isStopping()) return;
    }
  }

  async function nextSlice(
    job: Job,
    selection: DeadLetterSelection,
    { phase, below }: Position,
  ): Promise<Slice | 'wait' | 'done'> {
    if (job.kind === DISCARD_JOB) return discardSlice(job, selection, { phase, below });
    if (phase === 'deliveries') {
      if (!selection.deliveries) return { next: { phase: 'events', below: null }, progress: {} };
      return retryDeliveries(job, selection, below);
    }
    // No more is given to the pipelines than can be taken back when somebody cancels.
    if (await jobs.hasOutstanding(job.orgId, job.id)) return 'wait';
    if (phase === 'wait' || !selection.events) return 'done';
    return replayEvents(job, selection, below);
  }

  async function discardSlice(
    job: Job,
    { deliveries, events, filter }: DeadLetterSelection,
    { phase, below }: Position,
  ): Promise<Slice | 'done'> {
    const page = { limit: DISCARDED_AT_ONCE, below };
    const at = clock.now();
    if (phase === 'deliveries') {
      const dead = deliveries
        ? await deliveryQueue.listDeliveries(job.orgId, { ...filter, state: 'dead' }, page)
        : [];
      const last = dead.at(-1);
      if (last === undefined) return { next: { phase: 'events', below: null }, progress: {} };
      const discards = { deliveries: dead.map(({ id }) => id), events: [], at };
      return { next: { phase, below: last.id }, progress: {}, work: { discards } };
    }
    const failed = events ? await deliveryQueue.listFailedEvents(job.orgId, { ...filter, ...page }) : [];
    const last = failed.at(-1);
    if (last === undefined) return 'done';
    const { pipeline, step, reason, endedBy } = filter;
    const discards = { deliveries: [], events: failed, failures: { pipeline, step, reason, endedBy }, at };
    return { next: { phase, below: last }, progress: {}, work: { discards } };
  }

  async function retryDeliveries(
    job: Job,
    { filter }: DeadLetterSelection,
    below: string | null,
  ): Promise<Slice> {
    const dead = await deliveryQueue.listDeliveries(
      job.orgId,
      { ...filter, state: 'dead' },
      { limit: SLICE, below },
    );
    const last = dead.at(-1);
    if (last === undefined) return { next: { phase: 'events', below: null }, progress: {} };
    return {
      next: { phase: 'deliveries', below: last.id },
      progress: {},
      work: { deliveries: { ids: dead.map(({ id }) => id), at: clock.now() } },
    };
  }

  /** Each goes once more through the pipelines that it failed in, and through no other, where these are known. */
  async function replayEvents(
    job: Job,
    { filter }: DeadLetterSelection,
    below: string | null,
  ): Promise<Slice> {
    const ids = await deliveryQueue.listFailedEvents(job.orgId, { ...filter, limit: SLICE, below });
    const enabled = new Set((await configuration.readProcessing(job.orgId)).pipelines.map(({ id }) => id));
    enabled.add(UNKNOWN_PIPELINE);
    const failures = (await deliveryQueue.listFailures(job.orgId, ids)).filter(
      failure => enabled.has(failure.pipelineId) && isMeant(failure, filter),
    );
    const replays = [...Map.groupBy(failures, ({ eventId }) => eventId)].map(([eventId, runs]) => ({
      eventId,
      plan: planOf(runs.map(({ pipelineId }) => pipelineId)),
    }));
    const left = ids.length - replays.length;
    const last = ids.at(-1);
    return {
      next: last ? { phase: 'events', below: last } : { phase: 'wait', below: null },
      // Those that are run count themselves when they are through.
      progress: { done: left, failed: left, ...(left > 0 ? { notes: [LEFT_ALONE] } : {}) },
      work: { replays },
    };
  }
}

const KINDS = [RETRY_JOB, DISCARD_JOB];

/** An event may have failed in others as well, which nobody asked for. */
const isMeant = (
  { pipelineId, step, reason }: StoredFailure,
  filter: DeadLetterSelection['filter'],
): boolean =>
  (filter.pipeline === undefined || filter.pipeline === pipelineId) &&
  (filter.step === undefined || filter.step === step) &&
  (filter.reason === undefined || filter.reason === reason);

/** What stands for all pipelines stands alone: none is to run an event twice. */
const planOf = (failedIn: readonly string[]): PlannedRun[] =>
  (failedIn.includes(UNKNOWN_PIPELINE) ? [UNKNOWN_PIPELINE] : failedIn).map(pipelineId => ({
    pipelineId,
    version: null,
    retries: 0,
    dueAt: 0,
    retryOf: pipelineId,
  }));

const readPosition = ({ position }: Job): Position =>
  position === null ? { phase: 'deliveries', below: null } : (JSON.parse(position) as Position);
