import { createPipelineThread, type PipelineThread, type PipelineThreadOptions } from './pipeline-thread.ts';
import { failedReport, type RunReport, type RunRequest } from './protocol.ts';

/** The runner of pipelines: runs events off the main thread, and always comes back with a report. */
export interface PipelineRunner {
  start(): void;
  run(request: RunRequest): Promise<RunReport>;
  /** Why events cannot be run at present; null where they can. */
  problem(): string | null;
  stop(): void;
}

type RunnerOptions = Omit<PipelineThreadOptions, 'onStuck' | 'onSlow' | 'onDown' | 'idleMs'>;

/** For how long a pipeline that has proved slow stays on the slow thread. */
const SLOW_FOR_MS = 60_000;
const IDLE_MS = 60_000;

/**
 * Two threads, so that a pipeline whose runs take long does not hold up all the others: what the quick thread hands
 * back goes to the slow one, and so does for a while whatever comes for that pipeline. A run that its thread got
 * stuck in is given a second chance there too, since the thread may have been stuck for another's sake; who gets
 * that one stuck as well has failed.
 */
export function createPipelineRunner(
  options: RunnerOptions & { readonly now?: () => number },
): PipelineRunner {
  const slowPipelines = createSlowPipelines(options.now ?? (() => performance.now()));
  const slow = createPipelineThread({
    ...options,
    idleMs: IDLE_MS,
    onStuck: async (_request, reason, step) => failedReport(step, reason),
  });
  const goSlowly = (request: RunRequest): Promise<RunReport> => {
    slowPipelines.add(nameOf(request));
    return slow.run(request);
  };
  const quick = createPipelineThread({ ...options, onStuck: goSlowly, onSlow: goSlowly });
  const threadOf = (name: string): PipelineThread => (slowPipelines.has(name) ? slow : quick);

  return {
    start: quick.start,
    run: request => threadOf(nameOf(request)).run(request),
    problem: () => quick.problem() ?? slow.problem(),
    stop() {
      quick.stop();
      slow.stop();
    },
  };
}

/** Which pipelines are slow for now. Bounded: each addition lets go of those whose time is over. */
export function createSlowPipelines(now: () => number) {
  /** In the order in which their time ends. */
  const until = new Map<string, number>();
  return {
    add(name: string): void {
      until.delete(name);
      until.set(name, now() + SLOW_FOR_MS);
      for (const [known, end] of until) {
        if (end > now()) return;
        until.delete(known);
      }
    },
    has(name: string): boolean {
      const end = until.get(name);
      return end !== undefined && end > now();
    },
    size: (): number => until.size,
  };
}

const nameOf = ({ orgId, pipeline }: RunRequest): string => `${orgId} ${pipeline.id}`;
