import type { ShownTrace } from '../../../core/kinds/pipeline-admin.ts';
import type { StoredRun } from '../../../core/stores/event-queue.ts';

/** About so much of what steps found and left is shown of one event. */
const MOST_STATES = 8 * 1024 * 1024;

/**
 * The traces of an event's runs. Each step repeats the payload twice, and an event can be replayed any number of times:
 * once there is no more room, the older runs say what their steps did, and not what came out of each.
 */
export function showTraces(
  runs: readonly Pick<StoredRun, 'trace'>[],
  payload: string,
  show: (trace: string) => ShownTrace,
): ShownTrace[] {
  let room = MOST_STATES;
  const newestFirst = runs.toReversed().map(({ trace }) => {
    const shown = show(trace);
    const fits = room > 0;
    room -= 2 * shown.steps.length * (payload.length + trace.length);
    return fits ? shown : withoutStates(shown);
  });
  return newestFirst.reverse();
}

const withoutStates = ({ steps, tries }: ShownTrace): ShownTrace => ({
  steps: steps.map(step => ({ ...step, before: null, after: null })),
  cutAt: 0,
  tries,
});
