import { messageOf } from '../../core/errors.ts';
import type { LoadedPipeline } from '../definitions/definitions.ts';
import { packRuns, unpackReports } from './pack.ts';
import {
  type FromThread,
  failedReport,
  newProgress,
  type PortName,
  progressFields,
  type RunReport,
  type RunRequest,
  type ToThread,
} from './protocol.ts';

/** A thread that can be spoken to and ended. */
export interface LaneThread {
  post(message: ToThread): void;
  end(): void;
}

export type StartThread = (handlers: {
  onMessage(message: FromThread): void;
  onFailure(reason: string): void;
}) => LaneThread;

export interface LaneOptions {
  readonly startThread: StartThread;
  readonly secretKey: string;
  /** Does what the thread asks for. */
  answer(name: PortName, args: readonly unknown[]): Promise<unknown>;
  /** Whether a refused call was refused because storage is away. */
  isAway(error: unknown): boolean;
  /** What becomes of a run that the thread did not come back from. Answers its report, in time. */
  onStuck(request: RunRequest, reason: string, step: number): Promise<RunReport>;
  /** What becomes of a run whose pipeline has proved slow; absent: nobody else has more time for it. */
  onSlow?(request: RunRequest): Promise<RunReport>;
  /** How long the thread may show no progress while it has something to do. */
  readonly stuckAfterMs?: number;
  /** Runs are numbered from after this one. */
  readonly firstNumber?: number;
  /** An idle thread is ended after that time; absent: never. */
  readonly idleMs?: number;
}

export interface Lane {
  run(request: RunRequest): Promise<RunReport>;
  /** Has its thread started before the first run, which need not wait for it then. */
  warmUp(): void;
  inFlight(): number;
  close(): void;
}

interface Pending {
  readonly request: RunRequest;
  readonly resolve: (report: RunReport | Promise<RunReport>) => void;
}

const CHECK_EVERY_MS = 250;
const STUCK_AFTER_MS = 3_000;
const MOST_PIPELINES_POSTED = 2_000;
const MOST_NUMBER = 0x7fff_ffff;

/**
 * One thread of pipelines and who watches it. The thread is started when the first run comes, if not before. While runs are under
 * way its progress is looked at four times a second; where there is none for a few seconds, or the thread has died,
 * it is ended and another takes over everything but the run that it was stuck in.
 */
export function createLane(options: LaneOptions): Lane {
  const checksUntilStuck = Math.ceil((options.stuckAfterMs ?? STUCK_AFTER_MS) / CHECK_EVERY_MS);
  const pending = new Map<number, Pending>();
  let last = options.firstNumber ?? 0;
  let thread: LaneThread | null = null;
  let progress = newProgress();
  /** Names of the pipelines that the thread has, by what they are. */
  let posted = new Map<LoadedPipeline, string>();
  let unposted: number[] = [];
  let timer: ReturnType<typeof setInterval> | null = null;
  let lastCount = 0;
  let checksWithout = 0;
  let idleChecks = 0;

  function start(): LaneThread {
    const started = options.startThread({
      onMessage: message => {
        if (started === thread) receive(message);
      },
      onFailure: reason => {
        if (started === thread) replace(`The thread that ran it ended: ${reason}`);
      },
    });
    progress = newProgress();
    posted = new Map();
    started.post({
      kind: 'open',
      secretKey: options.secretKey,
      progress: progress.buffer,
      handsBack: options.onSlow !== undefined,
    });
    return started;
  }

  function receive(message: FromThread): void {
    if (message.kind === 'reports') {
      for (const [n, report] of unpackReports(message.reports)) {
        const run = pending.get(n);
        pending.delete(n);
        if (report.kind !== 'handed_back') run?.resolve(report);
        else if (run && options.onSlow) run.resolve(options.onSlow(run.request));
      }
    } else if (message.kind === 'call') {
      const asking = thread;
      const reply = (answer: ToThread) => {
        if (asking === thread) asking?.post(answer);
      };
      options.answer(message.name, message.args).then(
        answer => reply({ kind: 'answer', call: message.call, answer }),
        (error: unknown) =>
          reply({
            kind: 'refusal',
            call: message.call,
            message: messageOf(error),
            isAway: options.isAway(error),
          }),
      );
    }
  }

  /** Everything that was asked for in one turn goes over together. */
  function schedule(n: number): void {
    unposted.push(n);
    if (unposted.length === 1) queueMicrotask(post);
    timer ??= setInterval(check, CHECK_EVERY_MS);
    idleChecks = 0;
  }

  function post(): void {
    const numbers = unposted;
    unposted = [];
    thread ??= start();
    if (posted.size > MOST_PIPELINES_POSTED) {
      thread.post({ kind: 'invalidate' });
      posted = new Map();
    }
    const pipelines: { name: string; pipeline: LoadedPipeline }[] = [];
    const runs = numbers.flatMap(n => {
      const request = pending.get(n)?.request;
      if (request === undefined) return [];
      const { pipeline, ...rest } = request;
      let name = posted.get(pipeline);
      if (name === undefined) {
        name = `${pipeline.id} ${pipeline.version} ${posted.size}`;
        posted.set(pipeline, name);
        pipelines.push({ name, pipeline });
      }
      return [{ ...rest, n, pipelineName: name }];
    });
    if (runs.length > 0) thread.post({ kind: 'run', pipelines, runs: packRuns(runs) });
  }

  function check(): void {
    if (pending.size === 0) {
      checksWithout = 0;
      if (options.idleMs !== undefined && ++idleChecks * CHECK_EVERY_MS >= options.idleMs) close();
      return;
    }
    const count = Atomics.load(progress, progressFields.count);
    // Looks are counted, not time: a machine that slept, or stopped this process, has not been stuck.
    checksWithout = count === lastCount ? checksWithout + 1 : 0;
    lastCount = count;
    if (checksWithout >= checksUntilStuck) {
      const seconds = (checksUntilStuck * CHECK_EVERY_MS) / 1_000;
      replace(`It did not get on for ${seconds} seconds and was cut.`);
    }
  }

  function replace(reason: string): void {
    const stuckIn = Atomics.load(progress, progressFields.run);
    const step = Atomics.load(progress, progressFields.step);
    thread?.end();
    thread = null;
    checksWithout = 0;
    lastCount = 0;
    const stuck = pending.get(stuckIn);
    if (stuck !== undefined) {
      pending.delete(stuckIn);
      stuck.resolve(options.onStuck(stuck.request, reason, step).catch(() => failedReport(step, reason)));
    }
    unposted = [];
    for (const n of pending.keys()) schedule(n);
  }

  function close(): void {
    thread?.end();
    thread = null;
    if (timer !== null) clearInterval(timer);
    timer = null;
  }

  return {
    run(request) {
      // Told in 32 bits of shared memory; nothing is under way for two thousand million runs.
      last = last < MOST_NUMBER ? last + 1 : 1;
      const n = last;
      const { promise, resolve } = Promise.withResolvers<RunReport>();
      pending.set(n, { request, resolve });
      schedule(n);
      return promise;
    },
    warmUp() {
      thread ??= start();
    },
    inFlight: () => pending.size,
    close,
  };
}
