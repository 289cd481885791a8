import type { Audited } from './configuration/audit.ts';
import type { FailureFilter } from './dead-letters.ts';
import type { PlannedRun } from './event-queue.ts';

/** Long pieces of work that somebody asked for, done in slices by a living node, each within a lease. */
export interface JobStore extends Audited<Pick<JobStore, 'createExport' | 'createJob' | 'finishJob'>> {
  createJob(job: Job): Promise<void>;
  findJob(orgId: string, id: string): Promise<Job | null>;
  listJobs(orgId: string, page: { limit: number; below: string | null }): Promise<Job[]>;
  /** The open job of one of these kinds that nobody has worked on for longest, for as long as the lease. */
  claimJob(
    kinds: readonly string[],
    lease: { readonly token: string; readonly now: number; readonly leaseMs: number },
  ): Promise<ClaimedJob | null>;
  hasOpenJobs(kinds: readonly string[], now: number): Promise<boolean>;
  /** False when it was cancelled, finished or taken over by somebody else meanwhile: then nothing was written. */
  advanceJob(
    job: Pick<ClaimedJob, 'orgId' | 'id' | 'token'>,
    progress: JobProgress,
    until: number,
    work?: JobWork,
  ): Promise<boolean>;
  /** With a token only if nobody has taken it over. */
  finishJob(
    orgId: string,
    id: string,
    state: Exclude<JobState, 'running'>,
    at: number,
    token?: string,
  ): Promise<boolean>;
  /**
   * As `createJob`, for one that writes a file. Too many where the organisation has `mostRunning` exports under way;
   * of those that have ended, only the newest `mostKept` keep their files beside it. The end of one that is `isSilent`
   * is not announced.
   */
  createExport(
    job: Job,
    bounds: { readonly mostRunning: number; readonly mostKept: number; readonly isSilent?: boolean },
  ): Promise<'created' | 'too_many'>;
  /** How large the file of a job is, and of how many pieces; null where it has none. */
  measureFile(
    orgId: string,
    jobId: string,
  ): Promise<{ readonly bytes: number; readonly chunks: number } | null>;
  /** A piece of it, from 0 on. */
  readFileChunk(orgId: string, jobId: string, n: number): Promise<string | null>;
  /**
   * Removes pieces, at most `limit`, of jobs that ended before, or that did not come to a good end, and of files that
   * nobody can read any more; answers how many.
   */
  pruneFiles(endedBefore: number, limit: number): Promise<number>;
  /** Whether anything of a replay is still to be run, or under way. */
  hasOutstanding(orgId: string, jobId: string): Promise<boolean>;
}

export type JobState = 'running' | 'done' | 'cancelled' | 'failed';

/** A long piece of work that somebody asked for. */
export interface Job {
  readonly id: string;
  readonly orgId: string;
  /** `replay`, … */
  readonly kind: string;
  readonly state: JobState;
  /** JSON text of what was asked for. */
  readonly request: string;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  /** How far it has come, in its own words. */
  readonly position: string | null;
  /** What somebody should know about it. */
  readonly notes: readonly string[];
  readonly createdBy: string;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

/** A job that nobody else works on until the lease is over, or its node is dead. */
export interface ClaimedJob extends Job {
  /** Whoever goes on with it has to show it. */
  readonly token: string;
}

/** What is done with a step of a job, whole or not at all. */
export interface JobWork {
  /** Events to be run once more. */
  readonly replays?: readonly { readonly eventId: string; readonly plan: readonly PlannedRun[] | null }[];
  /** Dead deliveries to be sent once more; each counts as done, and as failed where it is not dead any more. */
  readonly deliveries?: { readonly ids: readonly string[]; readonly at: number };
  /** The next piece of its file. */
  readonly chunk?: { readonly n: number; readonly body: string; readonly bytes: number };
  /** Dead letters that nobody wants any more; each counts as done, and as failed where it is none any more. */
  readonly discards?: {
    readonly deliveries: readonly string[];
    readonly events: readonly string[];
    /** Of the events only these failures; all of them without it. */
    readonly failures?: FailureFilter;
    readonly at: number;
  };
}

export interface JobProgress {
  readonly total?: number;
  /** Added to what is there. */
  readonly done?: number;
  readonly failed?: number;
  readonly position?: string | null;
  readonly notes?: readonly string[];
}
