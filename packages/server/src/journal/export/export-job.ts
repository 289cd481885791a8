import { type Clock, minutes, toRfc3339 } from '../../core/clock.ts';
import { idTime } from '../../core/ids.ts';
import type { ExportSource } from '../../core/jobs/export.ts';
import { exportJobs } from '../../core/jobs/export-job.ts';
import type { ClaimedJob, Job, JobStore } from '../../core/stores/jobs.ts';
import type { Membership } from '../../core/work/membership.ts';
import { FILE_KEPT_MS } from './actions.ts';

/** How far an export has come: each slice is written with its progress, as a piece of the file, or not at all. */
interface Position {
  readonly below: string | null;
  readonly chunks: number;
  readonly bytes: number;
  readonly isThrough: boolean;
}

/** No slice takes as long. */
const LEASE_MS = minutes(1);
/** Each has a megabyte or more, and nobody else writes meanwhile. */
const PRUNED_AT_ONCE = 10;
const MOST_FILE_BYTES = 256 * 1024 * 1024;

/** Writes the files of exports, slice by slice, the newest first; and removes them when their time is over. */
export function createExportJobs(options: {
  readonly jobs: Pick<JobStore, 'advanceJob' | 'claimJob' | 'finishJob' | 'hasOpenJobs' | 'pruneFiles'>;
  /** What a job exports. */
  open(job: Job): ExportSource;
  readonly clock: Clock;
  readonly newToken: Membership['newToken'];
  /** Lets others at storage between two slices. */
  pause(): Promise<void>;
  isStopping(): boolean;
  readonly mostBytes?: number;
}): { work(): Promise<void>; prune(): Promise<void> } {
  const { jobs, clock, pause, isStopping, mostBytes = MOST_FILE_BYTES } = options;

  return {
    async work() {
      if (!(await jobs.hasOpenJobs(exportJobs, clock.now()))) return;
      while (!isStopping()) {
        const token = options.newToken();
        if (token === null) return;
        const job = await jobs.claimJob(exportJobs, { token, now: clock.now(), leaseMs: LEASE_MS });
        if (job === null) return;
        await writeSlice(job);
        await pause();
      }
    },
    async prune() {
      const endedBefore = clock.now() - FILE_KEPT_MS;
      while (!isStopping() && (await jobs.pruneFiles(endedBefore, PRUNED_AT_ONCE)) > 0) await pause();
    },
  };

  /** One, and gives the job back: those that wait take turns. */
  async function writeSlice(job: ClaimedJob): Promise<void> {
    const position = readPosition(job);
    if (position.isThrough) {
      await jobs.finishJob(job.orgId, job.id, 'done', clock.now(), job.token);
      return;
    }
    const { heading, what, read } = options.open(job);
    const { text, count, next } = await read(position.below);
    const isFirst = position.chunks === 0;
    const body = isFirst ? heading + text : text;
    // A search that found nothing in its time adds no piece; of an empty file there is one all the same.
    const chunk =
      isFirst || body !== '' ? { n: position.chunks, body, bytes: Buffer.byteLength(body) } : undefined;
    const bytes = position.bytes + (chunk?.bytes ?? 0);
    const isFull = bytes >= mostBytes && next !== null;
    const isThrough = next === null || isFull;
    const after: Position = {
      below: next,
      chunks: position.chunks + (chunk ? 1 : 0),
      bytes,
      isThrough,
    };
    await jobs.advanceJob(
      job,
      {
        done: count,
        ...(isThrough ? { total: job.done + count } : {}),
        ...(isFull ? { notes: [fullNote(what, next, mostBytes)] } : {}),
        position: JSON.stringify(after),
      },
      clock.now(),
      chunk && { chunk },
    );
  }
}

const fullNote = (what: string, next: string, mostBytes: number): string =>
  `The file has reached ${Math.round(mostBytes / 1024 / 1024)} MiB, and holds no ${what} from before ${toRfc3339(idTime(next))}. Export those with a filter of their own.`;

const readPosition = ({ position }: Job): Position =>
  position === null
    ? { below: null, chunks: 0, bytes: 0, isThrough: false }
    : (JSON.parse(position) as Position);
