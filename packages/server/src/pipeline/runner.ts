import { createLane, type Lane, type LaneOptions } from './lane.ts';
import { failedReport, type RunReport, type RunRequest } from './thread-protocol.ts';

/** Runs events through pipelines, off the doors' thread, and always comes back with a report. */
export interface PipelineRunner {
  run(request: RunRequest): Promise<RunReport>;
  close(): void;
}

type RunnerOptions = Omit<LaneOptions, 'onStuck' | 'idleMs'>;

/** A run that keeps its thread to itself for longer is slow. */
const SLOW_MS = 50;
/** A pipeline with so many slow runs in a row is slow: one alone may have been the first ever, or a busy machine's. */
const SLOW_IN_A_ROW = 3;
const SLOW_FOR_MS = 60_000;
const IDLE_MS = 60_000;

/**
 * Two lanes, so that a pipeline whose runs take long does not hold up all the others. A run that its thread got
 * stuck in is given a second chance in the slow lane, since the thread may have been stuck for another's sake; who
 * gets that one stuck too has failed.
 */
export function createPipelineRunner(
  options: RunnerOptions & { readonly now?: () => number },
): PipelineRunner {
  const now = options.now ?? (() => performance.now());
  const slowUntil = new Map<string, number>();
  const slowRuns = new Map<string, number>();
  const slow = createLane({
    ...options,
    idleMs: IDLE_MS,
    onStuck: async (_request, reason, step) => failedReport(step, reason),
  });
  const quick = createLane({
    ...options,
    onStuck(request) {
      slowUntil.set(nameOf(request), now() + SLOW_FOR_MS);
      return slow.run(request);
    },
  });

  function laneOf(name: string): Lane {
    const until = slowUntil.get(name);
    if (until === undefined) return quick;
    if (until > now()) return slow;
    slowUntil.delete(name);
    return quick;
  }

  function judge(name: string, busyMs: number): void {
    if (busyMs <= SLOW_MS) {
      slowRuns.delete(name);
      return;
    }
    const inARow = (slowRuns.get(name) ?? 0) + 1;
    slowRuns.set(name, inARow);
    if (inARow >= SLOW_IN_A_ROW) slowUntil.set(name, now() + SLOW_FOR_MS);
  }

  return {
    async run(request) {
      const name = nameOf(request);
      const report = await laneOf(name).run(request);
      judge(name, report.busyMs);
      return report;
    },
    close() {
      quick.close();
      slow.close();
    },
  };
}

const nameOf = ({ orgId, pipeline }: RunRequest): string => `${orgId} ${pipeline.id}`;
