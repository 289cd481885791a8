import type { EventState } from '../core/event/event.ts';
import type { RunOutcome } from '../core/event/outcome.ts';
import { stateAfter } from '../core/event/state.ts';
import type { RepeatedRun, SettledRun } from '../core/stores/event-queue.ts';

/** The runs of one event by the same pipeline, of which the latest counts: for its state, and for figures. */

/** A run that is stored. */
export interface KnownRun {
  readonly id: string;
  readonly pipeline_id: string;
  readonly version: number;
  readonly outcome: RunOutcome['kind'];
  readonly failed_step: number | null;
  readonly mended: number;
}

/** What is read of them, in their order. */
export const KNOWN_RUN = 'id, pipeline_id, version, outcome, failed_step, mended';

/** In its column `mended`: a later run has resolved what failed. */
const RESOLVED = 1;

/** What was routed came to each step, however many there are. */
const ALL_STEPS = Number.MAX_SAFE_INTEGER;

/** The state of an event with these runs. */
export function stateOfRuns(known: readonly KnownRun[]): EventState {
  const counting = known.filter(({ mended }) => mended !== RESOLVED);
  return stateAfter([...new Map(counting.map(run => [run.pipeline_id, run.outcome])).values()]);
}

/** Those of these runs that are not the first by their pipeline; `known` are all that are settled, these among them. */
export function repeatedRuns(runs: readonly SettledRun[], known: readonly KnownRun[]): RepeatedRun[] {
  return runs.flatMap(({ id, pipelineId, version }) => {
    const others = known.filter(run => run.pipeline_id === pipelineId && run.id !== id);
    const latest = others.at(-1);
    if (latest === undefined) return [];
    const ofVersion = others.filter(run => run.version === version).map(stepsOf);
    const counted = { outcome: latest.outcome, version: latest.version, step: latest.failed_step };
    return [
      { pipelineId, inPlaceOf: latest.id > id ? null : counted, stepsBefore: Math.max(0, ...ofVersion) },
    ];
  });
}

const stepsOf = ({ outcome, failed_step }: KnownRun): number =>
  outcome === 'routed' ? ALL_STEPS : (failed_step ?? -1) + 1;
