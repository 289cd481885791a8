import { messageOf } from '../../core/errors.ts';
import { UNKNOWN_PIPELINE } from '../../core/event/outcome.ts';
import type { ClaimedEvent, PlannedRun } from '../../core/stores/event-queue.ts';
import type { Definitions, LoadedPipeline, NamedSource } from '../definitions/definitions.ts';
import { failedReport } from '../thread/protocol.ts';
import type { EndedRun } from './settle.ts';
import { listens } from './unrouted.ts';

/** The plan of a claimed event: which pipelines it runs through now, and which are over. */

/** What is to be done with a claimed event now. */
export interface Plan {
  readonly sources: readonly NamedSource[];
  readonly runs: readonly ReadyRun[];
  /** Those that cannot be done any more, with their reason. */
  readonly ended: readonly EndedRun[];
  readonly notDue: readonly PlannedRun[];
}

interface ReadyRun {
  readonly pipeline: LoadedPipeline;
  readonly planned: PlannedRun;
  readonly sourceName: string | null;
}

/** An event whose nodes have died so often is not tried again: it may be what ends them. */
const MOST_TRIES = 3;

export async function planRuns(claimed: ClaimedEvent, definitions: Definitions, now: number): Promise<Plan> {
  const organisation = await definitions.of(claimed.orgId);
  const sources = organisation.sourcesOf(claimed);
  const runs: ReadyRun[] = [];
  const ended: EndedRun[] = [];
  const ready = (pipeline: LoadedPipeline, planned: PlannedRun) => {
    const run = { pipeline, planned, sourceName: sourceNameFor(pipeline, sources) };
    if (pipeline.problem === undefined) runs.push(run);
    else ended.push({ ...run, report: failedReport(null, pipeline.problem) });
  };

  const all = { pipelineId: UNKNOWN_PIPELINE, version: null, retries: 0, dueAt: now };
  // What is claimed was due. Where none of it seems to be, the clock has gone back since.
  const isAnyDue = claimed.plan?.some(({ dueAt }) => dueAt <= now) ?? true;
  const isDue = ({ dueAt }: PlannedRun) => dueAt <= now || !isAnyDue;
  const due = claimed.plan?.filter(isDue) ?? [all];
  for (const planned of due) {
    const { pipelineId, version } = planned;
    if (pipelineId === UNKNOWN_PIPELINE) {
      const listening = organisation.pipelines.filter(pipeline => listens(pipeline, sources));
      for (const pipeline of listening)
        ready(pipeline, { ...planned, pipelineId: pipeline.id, version: null });
      continue;
    }
    const found =
      version === null
        ? organisation.pipelines.find(({ id }) => id === pipelineId)
        : await definitions.version(claimed.orgId, pipelineId, version);
    if (found) ready(found, planned);
    else ended.push(gone(planned));
  }
  const notDue = claimed.plan?.filter(planned => !isDue(planned)) ?? [];
  if (claimed.tries <= MOST_TRIES) return { sources, runs, ended, notDue };
  const reason = `The node that worked on this event died or fell silent, ${MOST_TRIES} times in a row. The event will not be retried.`;
  const left = runs.map((run): EndedRun => ({ ...run, report: failedReport(null, reason) }));
  return { sources, runs: [], ended: [...ended, ...left], notDue };
}

/** However many of a pipeline's sources an event belongs to, it comes from the first by name. */
const sourceNameFor = (
  { sources }: Pick<LoadedPipeline, 'sources'>,
  of: readonly NamedSource[],
): string | null => of.find(({ id }) => sources.includes(id))?.name ?? of[0]?.name ?? null;

const gone = (planned: PlannedRun): EndedRun => ({
  pipeline: { id: planned.pipelineId, name: planned.pipelineId, version: planned.version ?? 0 },
  planned,
  sourceName: null,
  report: failedReport(null, 'The pipeline was disabled or deleted while the event waited to be retried.'),
});

/** What it was to go through cannot be found out: it ends with the reason, in what is known of its runs. */
export function unplannable(claimed: ClaimedEvent, error: unknown): Plan {
  const reason = `Its pipelines could not be read: ${messageOf(error)}`;
  const known = claimed.plan ?? [{ pipelineId: UNKNOWN_PIPELINE, version: null, retries: 0, dueAt: 0 }];
  const ended = known.map(planned => ({ ...gone(planned), report: failedReport(null, reason) }));
  return { sources: [], runs: [], ended, notDue: [] };
}
