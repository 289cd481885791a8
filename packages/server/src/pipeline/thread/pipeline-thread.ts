import { messageOf } from '../../core/errors.ts';
import { delayBefore } from '../../core/work/backoff.ts';
import { createStuckDetector } from '../../core/work/stuck.ts';
import type { LoadedPipeline } from '../definitions/definitions.ts';
import type { PortCall } from '../ports/serve.ts';
import { packRuns, unpackReports } from './pack.ts';
import { createPostedPipelines } from './posted-pipelines.ts';
import {
  type FromThread,
  failedReport,
  newProgress,
  progressFields,
  type RunReport,
  type RunRequest,
  type ToThread,
} from './protocol.ts';

/** A thread that can be spoken to and ended. */
interface ThreadHandle {
  post(message: ToThread): void;
  end(): void;
}

export type StartThread = (handlers: {
  onMessage(message: FromThread): void;
  onFailure(reason: string): void;
}) => ThreadHandle;

export interface PipelineThreadOptions {
  readonly startThread: StartThread;
  readonly secretKey: string;
  /** Does what the thread asks for. */
  answer(call: PortCall): Promise<unknown>;
  /** Whether a refused call was refused because storage is away. */
  isAway(error: unknown): boolean;
  /** What becomes of a run that the thread did not come back from. Answers its report, in time. */
  onStuck(request: RunRequest, reason: string, step: number): Promise<RunReport>;
  /** What becomes of a run whose pipeline has proved slow; absent: nobody else has more time for it. */
  onSlow?(request: RunRequest): Promise<RunReport>;
  /** What becomes of runs while there is no thread; absent: they wait for the next. */
  onDown?(problem: string): RunReport;
  onError(error: unknown): void;
  /** How long the thread may show no progress while it has something to do. */
  readonly stuckAfterMs?: number;
  /** The delays before a thread that went down is started again, the last for ever. */
  readonly restartDelaysS?: readonly number[];
  /** Runs are numbered from after this one. */
  readonly firstNumber?: number;
  /** An idle thread is ended after that time; absent: never. */
  readonly idleMs?: number;
}

export interface PipelineThread {
  /** Keeps a thread from now on, so that the first run need not wait for it. */
  start(): void;
  run(request: RunRequest): Promise<RunReport>;
  inFlight(): number;
  /** Why the thread that is wanted is down; null where it is not. */
  problem(): string | null;
  stop(): void;
}

interface Pending {
  readonly request: RunRequest;
  readonly resolve: (report: RunReport | Promise<RunReport>) => void;
}

const CHECK_EVERY_MS = 250;
const STUCK_AFTER_MS = 3_000;
const RESTART_DELAYS_S = [0.1, 0.5, 1, 5, 15, 30];
const MOST_NUMBER = 0x7fff_ffff;

/**
 * A thread that runs pipelines, and its watch.
 *
 * - none: nobody needs it. The first run starts it, or `start`.
 * - started: runs are posted to it at once. While some are under way its progress is looked at four times a second.
 * - replaced: it made no progress for a few seconds, or died, in the middle of a run. Another takes over at once,
 *   with every run but that one.
 * - down: it ended, or made no progress, and no run is to blame: the next would fare no better. That is reported, and
 *   another is started after a delay that grows until one of them has ended a run. Runs wait meanwhile.
 */
export function createPipelineThread(options: PipelineThreadOptions): PipelineThread {
  const stuckAfterMs = options.stuckAfterMs ?? STUCK_AFTER_MS;
  const detector = createStuckDetector(CHECK_EVERY_MS, stuckAfterMs);
  const delaysS = options.restartDelaysS ?? RESTART_DELAYS_S;
  const pending = new Map<number, Pending>();
  let last = options.firstNumber ?? 0;
  let thread: ThreadHandle | null = null;
  let isKept = false;
  let progress = newProgress();
  let posted = createPostedPipelines();
  let unposted: number[] = [];
  let watch: ReturnType<typeof setInterval> | null = null;
  let restart: ReturnType<typeof setTimeout> | null = null;
  let problem: string | null = null;
  let timesDown = 0;
  let idleChecks = 0;

  function begin(): void {
    progress = newProgress();
    posted = createPostedPipelines();
    try {
      const started = options.startThread({
        onMessage: message => {
          if (started === thread) receive(message);
        },
        onFailure: reason => {
          if (started === thread) replace(`The thread that ran it ended: ${reason}`, reason);
        },
      });
      thread = started;
      const handsBack = options.onSlow !== undefined;
      started.post({ kind: 'open', secretKey: options.secretKey, progress: progress.buffer, handsBack });
    } catch (error) {
      thread?.end();
      thread = null;
      goDown(messageOf(error));
    }
  }

  function receive(message: FromThread): void {
    switch (message.kind) {
      case 'up':
        problem = null;
        return;
      case 'reports':
        timesDown = 0;
        for (const [n, report] of unpackReports(message.reports)) {
          const run = pending.get(n);
          pending.delete(n);
          if (report.kind !== 'handed_back') run?.resolve(report);
          else if (run && options.onSlow) run.resolve(options.onSlow(run.request));
        }
        return;
      case 'call':
        void answer(message);
    }
  }

  async function answer({ call, asked }: Extract<FromThread, { kind: 'call' }>): Promise<void> {
    const asking = thread;
    const reply = await options.answer(asked).then(
      (answer): ToThread => ({ kind: 'answer', call, answer }),
      (error: unknown): ToThread => ({
        kind: 'refusal',
        call,
        message: messageOf(error),
        isAway: options.isAway(error),
      }),
    );
    if (asking === thread) asking?.post(reply);
  }

  /** Everything that was asked for in one turn goes over together. */
  function schedule(n: number): void {
    unposted.push(n);
    if (unposted.length === 1) queueMicrotask(post);
    watch ??= setInterval(check, CHECK_EVERY_MS);
    idleChecks = 0;
  }

  function post(): void {
    if (restart !== null) return;
    if (thread === null) begin();
    if (thread === null) return;
    const numbers = unposted;
    unposted = [];
    const pipelines: { name: string; pipeline: LoadedPipeline }[] = [];
    const runs = numbers.flatMap(n => {
      const request = pending.get(n)?.request;
      if (request === undefined) return [];
      const { pipeline, ...rest } = request;
      const known = posted.nameOf(pipeline);
      const name = known ?? posted.add(pipeline);
      if (known === undefined) pipelines.push({ name, pipeline });
      return [{ ...rest, n, pipelineName: name }];
    });
    if (runs.length > 0) thread.post({ kind: 'run', pipelines, runs: packRuns(runs) });
    const names = posted.takeEvicted();
    if (names.length > 0) thread.post({ kind: 'invalidate', names });
  }

  function check(): void {
    if (pending.size === 0) {
      detector.reset();
      if (options.idleMs !== undefined && ++idleChecks * CHECK_EVERY_MS >= options.idleMs) end();
      return;
    }
    if (thread === null) return;
    if (detector.look(Atomics.load(progress, progressFields.count))) {
      const seconds = stuckAfterMs / 1_000;
      replace(
        `It made no progress for ${seconds} seconds and was stopped.`,
        `it made no progress for ${seconds} seconds`,
      );
    }
  }

  /** The reason is for the run that was stuck, the cause for the report that the thread is down. */
  function replace(reason: string, cause: string): void {
    const stuckIn = Atomics.load(progress, progressFields.run);
    const step = Atomics.load(progress, progressFields.step);
    thread?.end();
    thread = null;
    detector.reset();
    const stuck = pending.get(stuckIn);
    if (stuck === undefined) {
      goDown(cause);
      return;
    }
    pending.delete(stuckIn);
    stuck.resolve(options.onStuck(stuck.request, reason, step).catch(() => failedReport(step, reason)));
    unposted = [];
    for (const n of pending.keys()) schedule(n);
  }

  function goDown(cause: string): void {
    timesDown++;
    unposted = [];
    problem = `The thread that runs pipelines is down: ${cause}`;
    options.onError(new Error(problem));
    if (options.onDown !== undefined) {
      for (const { resolve } of pending.values()) resolve(options.onDown(problem));
      pending.clear();
    }
    if (isWanted()) restart = setTimeout(beginAgain, delayBefore({ delaysS }, timesDown));
  }

  function beginAgain(): void {
    restart = null;
    unposted = [...pending.keys()];
    if (isWanted()) post();
  }

  const isWanted = () => isKept || pending.size > 0;

  function end(): void {
    thread?.end();
    thread = null;
    unposted = [];
    if (watch !== null) clearInterval(watch);
    watch = null;
    if (restart !== null) clearTimeout(restart);
    restart = null;
  }

  return {
    start() {
      if (isKept) return;
      isKept = true;
      if (thread === null && restart === null) begin();
    },
    run(request) {
      // Kept in 32 bits of shared memory; nothing is under way for two thousand million runs.
      last = last < MOST_NUMBER ? last + 1 : 1;
      const n = last;
      const { promise, resolve } = Promise.withResolvers<RunReport>();
      pending.set(n, { request, resolve });
      schedule(n);
      return promise;
    },
    inFlight: () => pending.size,
    problem: () => (isWanted() ? problem : null),
    stop() {
      isKept = false;
      end();
    },
  };
}
