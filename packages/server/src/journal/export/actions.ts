import { MOST_EXPORTED_AT_ONCE } from '@sluice/contract/dashboard-events';
import { type Clock, hours, minutes } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import { type ExportActions, isExport, readExportRequest } from '../../core/jobs/export.ts';
import { newJob } from '../../core/jobs/new-job.ts';
import type { JobStore } from '../../core/stores/jobs.ts';
import type { Journal } from '../../core/stores/journal.ts';
import { exportLines } from './format.ts';
import { readSlice } from './slice.ts';

/** Of an organisation: exports that are answered directly and jobs that run, each; and files that are kept of those that have ended. */
const MOST_UNDER_WAY = 2;
const MOST_KEPT = 3;
/** One that was fetched from so long ago counts no more. */
const IDLE_MS = minutes(1);
/** So long after it has ended, the file of a job can be fetched. */
export const FILE_KEPT_MS = hours(24);

/** Starts exports, and hands their files out; `export-job.ts` writes those of jobs. */
export function createExportActions({
  jobs,
  journal,
  clock,
}: {
  readonly jobs: Pick<JobStore, 'audited' | 'measureFile' | 'readFileChunk'>;
  readonly journal: Pick<Journal, 'listEvents' | 'readPayloads'>;
  readonly clock: Clock;
}): ExportActions {
  /** By organisation, when each was fetched from last. */
  const underWay = new Map<string, Set<{ at: number }>>();

  function begin(orgId: string): { at: number } {
    const now = clock.now();
    // Whoever is gone without a word is not waited for.
    const others = [...(underWay.get(orgId) ?? [])].filter(({ at }) => Math.abs(now - at) < IDLE_MS);
    if (others.length >= MOST_UNDER_WAY) throw tooMany();
    const own = { at: now };
    underWay.set(orgId, new Set([...others, own]));
    return own;
  }

  function end(orgId: string, own: { at: number }): void {
    const all = underWay.get(orgId);
    all?.delete(own);
    if (all?.size === 0) underWay.delete(orgId);
  }

  return {
    async *stream(orgId, filter, format) {
      const own = begin(orgId);
      try {
        const before = Math.min(filter.before ?? Number.POSITIVE_INFINITY, clock.now() + 1);
        let left = MOST_EXPORTED_AT_ONCE;
        let below: string | null = null;
        const { heading } = exportLines[format];
        if (heading !== '') yield heading;
        do {
          const slice = await readSlice(journal, orgId, { ...filter, before }, format, {
            below,
            limit: left,
          });
          own.at = clock.now();
          left -= slice.count;
          below = slice.next;
          if (slice.text !== '') yield slice.text;
        } while (below !== null && left > 0);
      } finally {
        end(orgId, own);
      }
    },

    async start(orgId, { kind, ...request }, { by, record, isSilent = false }) {
      // How many they are is not known before all are written.
      const job = newJob({
        orgId,
        kind,
        request: JSON.stringify(request),
        total: 0,
        createdBy: by,
        createdAt: clock.now(),
      });
      const bounds = { mostRunning: MOST_UNDER_WAY, mostKept: MOST_KEPT, isSilent };
      if ((await jobs.audited(record(job)).createExport(job, bounds)) === 'too_many') throw tooMany();
      return job;
    },

    async findFile(job) {
      if (!isExport(job) || job.state !== 'done' || job.finishedAt === null) return null;
      const until = job.finishedAt + FILE_KEPT_MS;
      const size = clock.now() < until ? await jobs.measureFile(job.orgId, job.id) : null;
      if (size === null) return null;
      return {
        format: readExportRequest(job).format,
        bytes: size.bytes,
        until,
        async *read() {
          for (let n = 0; n < size.chunks; n++) {
            const chunk = await jobs.readFileChunk(job.orgId, job.id, n);
            // Cut short, it must not look like a whole file.
            if (chunk === null) throw new Problem('not_found');
            yield chunk;
          }
        },
      };
    },
  };
}

const tooMany = () =>
  new Problem('limit_reached', {
    message: `This organisation has ${MOST_UNDER_WAY} exports in progress. Wait until one has ended.`,
  });
