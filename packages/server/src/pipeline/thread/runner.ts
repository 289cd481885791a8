import { createLane, type Lane, type LaneOptions } from './pipeline-thread.ts';
import { failedReport, type RunReport, type RunRequest } from './protocol.ts';

/** Runs events through pipelines, off the doors' thread, and always comes back with a report. */
export interface PipelineRunner {
  run(request: RunRequest): Promise<RunReport>;
  close(): void;
}

type RunnerOptions = Omit<LaneOptions, 'onStuck' | 'onSlow' | 'idleMs'>;

/** For how long a pipeline that has proved slow stays in the slow lane. */
const SLOW_FOR_MS = 60_000;
const IDLE_MS = 60_000;

/**
 * Two lanes, so that a pipeline whose runs take long does not hold up all the others: what the thread of the quick
 * lane hands back goes to the slow one, and so does for a while whatever comes for that pipeline. A run that its
 * thread got stuck in is given a second chance there too, since the thread may have been stuck for another's sake;
 * who gets that one stuck as well has failed.
 */
export function createPipelineRunner(
  options: RunnerOptions & { readonly now?: () => number },
): PipelineRunner {
  const now = options.now ?? (() => performance.now());
  const slowUntil = new Map<string, number>();
  const slow = createLane({
    ...options,
    idleMs: IDLE_MS,
    onStuck: async (_request, reason, step) => failedReport(step, reason),
  });
  const goSlowly = (request: RunRequest): Promise<RunReport> => {
    slowUntil.set(nameOf(request), now() + SLOW_FOR_MS);
    return slow.run(request);
  };
  const quick = createLane({ ...options, onStuck: goSlowly, onSlow: goSlowly });
  quick.warmUp();

  function laneOf(name: string): Lane {
    const until = slowUntil.get(name);
    if (until === undefined) return quick;
    if (until > now()) return slow;
    slowUntil.delete(name);
    return quick;
  }

  return {
    run: request => laneOf(nameOf(request)).run(request),
    close() {
      quick.close();
      slow.close();
    },
  };
}

const nameOf = ({ orgId, pipeline }: RunRequest): string => `${orgId} ${pipeline.id}`;
