import { UNKNOWN_PIPELINE } from '../core/event/outcome.ts';
import type { Settlement } from '../core/stores/event-queue.ts';

/** A pipeline whose failed runs of an event are resolved, as far as their ids lie below this one. */
interface ResolvedRuns {
  readonly pipelineId: string;
  readonly below: string;
}

/** Above every id of a run. */
const ALL = 'run_~';

/** Which earlier failures a replay resolves. Only a replay has anything before it. */
export function resolvedBy({ jobId, runs, parked, retryOf }: Settlement): ResolvedRuns[] {
  if (jobId === null) return [];
  const better = runs
    .filter(({ outcome }) => outcome !== 'failed')
    .map(({ pipelineId, id }) => ({ pipelineId, below: id }));
  // By now it is known what the event goes through, and nothing of that is still to come.
  const isKnown =
    parked.length === 0 &&
    runs.every(({ pipelineId }) => pipelineId !== UNKNOWN_PIPELINE) &&
    (retryOf === undefined || retryOf.includes(UNKNOWN_PIPELINE));
  return isKnown ? [...better, { pipelineId: UNKNOWN_PIPELINE, below: ALL }] : better;
}

/**
 * The pipelines of a retry of all of them. One that another such retry has run since is not run again, though as long
 * as any is still to come the failure that both retry stays what it is.
 */
export function pipelinesOfAll({ runs, parked, retryOf }: Settlement): string[] {
  if (!retryOf?.includes(UNKNOWN_PIPELINE)) return [];
  return [...runs, ...parked].map(({ pipelineId }) => pipelineId).filter(id => id !== UNKNOWN_PIPELINE);
}
