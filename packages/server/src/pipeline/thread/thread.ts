import { systemClock } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import { createVault } from '../../core/secrets/vault.ts';
import type { StepPorts } from '../step.ts';
import { createCaller } from './calls.ts';
import { dryRunPorts } from './dry-run.ts';
import { createPace } from './pace.ts';
import { type NumberedReport, packReports, unpackRuns } from './pack.ts';
import { createProgress } from './progress.ts';
import { type FromThread, failedReport, type PostedRun, type RunReport, type ToThread } from './protocol.ts';
import { type CompileRoutes, createThreadRuns, type PreparedPipeline } from './run-batch.ts';
import { createSharedCalls } from './shared-calls.ts';

/** The other end of a thread: how it hears and speaks. */
export interface ThreadEnd {
  post(message: FromThread): void;
  onMessage(handle: (message: ToThread) => void): void;
}

/** A sign of life, for as long as the thread's turn comes around at all. */
const SIGN_OF_LIFE_MS = 250;

/**
 * The thread that runs pipelines, apart from the doors: whatever an event does to it, nobody else waits for it. Runs
 * go one after another as long as they need nobody; one that waits for an answer is left waiting, and the next
 * begins. What ended is reported as soon as all that was posted has had its turn.
 */
export function serveThread(end: ThreadEnd, dependencies: { readonly compileRoutes: CompileRoutes }): void {
  const caller = createCaller((call, name, args) => end.post({ kind: 'call', call, name, args }));
  const queue: PostedRun[] = [];
  let pipelines = new Map<string, PreparedPipeline>();
  let working = false;

  function open({ secretKey, progress: shared }: Extract<ToThread, { kind: 'open' }>) {
    const progress = createProgress(new Int32Array(shared));
    setInterval(progress.live, SIGN_OF_LIFE_MS);
    const vault = createVault(secretKey);
    const ports: StepPorts = {
      clock: systemClock,
      dedupe: caller.dedupe,
      cache: caller.cache,
      model: caller.model,
      calls: createSharedCalls(caller.tellOfWait),
      digest: vault.digest,
      wait: caller.wait,
    };
    const realRuns = createThreadRuns({ ports, entities: caller.entities, progress, ...dependencies });
    const dryRuns = [false, true].map(classify =>
      createThreadRuns({
        ports: dryRunPorts(ports, { classify }),
        entities: caller.entities,
        progress,
        ...dependencies,
      }),
    );
    return (run: PostedRun, pipeline: PreparedPipeline): Promise<RunReport> => {
      const runs = run.dryRun === undefined ? realRuns : dryRuns[Number(run.dryRun.classify)];
      return (runs ?? realRuns).run(run, pipeline);
    };
  }

  let runOne: ReturnType<typeof open> | null = null;

  let handsBack = false;
  const pace = createPace();

  let reports: NumberedReport[] = [];
  function flush(): void {
    if (reports.length > 0) end.post({ kind: 'reports', reports: packReports(reports) });
    reports = [];
  }

  async function work(): Promise<void> {
    working = true;
    for (let run = queue.shift(); run !== undefined; run = queue.shift()) {
      const pipeline = pipelines.get(run.pipelineName);
      if (runOne === null || pipeline === undefined) {
        reports.push([
          run.n,
          failedReport(null, 'The thread that was to run it does not know the pipeline.'),
        ]);
        continue;
      }
      if (handsBack && pace.isSlow(run.pipelineName)) {
        reports.push([run.n, { kind: 'handed_back' }]);
        continue;
      }
      const someoneWaits = caller.nextWait();
      await Promise.race([finish(runOne(run, pipeline), run), someoneWaits]);
      if (reports.length >= MOST_REPORTS_AT_ONCE) flush();
    }
    flush();
    working = false;
  }

  async function finish(ending: Promise<RunReport>, { n, pipelineName }: PostedRun): Promise<void> {
    const report = await ending;
    pace.ended(pipelineName, report.busyMs);
    reports.push([n, report]);
    // What ends long after its turn goes with whatever else ends in that moment.
    if (!working && reports.length === 1) setImmediate(flush);
  }

  end.onMessage(message => {
    switch (message.kind) {
      case 'open':
        runOne = open(message);
        ({ handsBack } = message);
        return;
      case 'run':
        for (const { name, pipeline } of message.pipelines) pipelines.set(name, { pipeline, compiled: null });
        queue.push(...unpackRuns(message.runs));
        if (!working) void work();
        return;
      case 'invalidate':
        pipelines = new Map();
        return;
      case 'answer':
        caller.resolve(message.call, message.answer);
        return;
      case 'refusal':
        caller.reject(
          message.call,
          message.isAway ? new Problem('storage_unavailable') : new Error(message.message),
        );
    }
  });
  end.post({ kind: 'up' });
}

/** Settling need not wait for the last of a long queue. */
const MOST_REPORTS_AT_ONCE = 64;
