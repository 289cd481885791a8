import { Problem } from '../../core/errors.ts';
import { createVault } from '../../core/secrets/vault.ts';
import { connectPorts, dryRunPorts } from '../ports/connect.ts';
import { createThreadLink } from './link.ts';
import { createPace } from './pace.ts';
import { type NumberedReport, packReports, unpackRuns } from './pack.ts';
import { createProgress } from './progress.ts';
import { type FromThread, failedReport, type PostedRun, type RunReport, type ToThread } from './protocol.ts';
import { type CompileRoutes, createThreadRuns, type PreparedPipeline } from './run-batch.ts';

/** The thread's end of its link to the main thread: how it posts and receives messages. */
interface ThreadEnd {
  post(message: FromThread): void;
  onMessage(handle: (message: ToThread) => void): void;
}

/** A sign of life, for as long as the thread's turn comes around at all. */
const SIGN_OF_LIFE_MS = 250;
/** Settling need not wait for the last of a long queue. */
const MOST_REPORTS_AT_ONCE = 64;

/** A run with the pipeline that it was posted for, whatever is let go of before its turn comes. */
interface QueuedRun {
  readonly run: PostedRun;
  readonly pipeline: PreparedPipeline | undefined;
}

/**
 * The thread that runs pipelines, apart from the endpoints: whatever an event does to it, nobody else waits for it.
 * Runs go one after another as long as they need nobody; one that waits for an answer is left waiting, and the next
 * begins. What ended is reported as soon as all that was posted has had its turn.
 */
export function serveThread(end: ThreadEnd, dependencies: { readonly compileRoutes: CompileRoutes }): void {
  const link = createThreadLink((call, asked) => end.post({ kind: 'call', call, asked }));
  const queue: QueuedRun[] = [];
  const pipelines = new Map<string, PreparedPipeline>();
  let working = false;

  function open({ secretKey, progress: shared }: Extract<ToThread, { kind: 'open' }>) {
    const progress = createProgress(new Int32Array(shared));
    setInterval(progress.live, SIGN_OF_LIFE_MS);
    const vault = createVault(secretKey);
    const ports = connectPorts(port => ({ ...link.sideOf(port), vault }));
    const realRuns = createThreadRuns({ ports, progress, ...dependencies });
    const dryRuns = [false, true].map(mayAskModel =>
      createThreadRuns({ ports: dryRunPorts(ports, { mayAskModel }), progress, ...dependencies }),
    );
    return (run: PostedRun, pipeline: PreparedPipeline): Promise<RunReport> => {
      const runs = run.dryRun === undefined ? realRuns : dryRuns[Number(run.dryRun.mayAskModel)];
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
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { run, pipeline } = next;
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
      const someoneWaits = link.nextWait();
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
        end.post({ kind: 'up' });
        return;
      case 'run':
        for (const { name, pipeline } of message.pipelines) pipelines.set(name, { pipeline, compiled: null });
        for (const run of unpackRuns(message.runs))
          queue.push({ run, pipeline: pipelines.get(run.pipelineName) });
        if (!working) void work();
        return;
      case 'invalidate':
        for (const name of message.names) pipelines.delete(name);
        return;
      case 'answer':
        link.resolve(message.call, message.answer);
        return;
      case 'refusal':
        link.reject(
          message.call,
          message.isAway ? new Problem('storage_unavailable') : new Error(message.message),
        );
    }
  });
}
