import type { PipelineDestination } from '@sluice/contract';
import { isStorageAway, messageOf } from '../../core/errors.ts';
import type { PipelineEvent, Scope } from '../../core/event/scope.ts';
import { type JsonObject, parseJson, stringifyJson } from '../../core/json/json.ts';
import type { RoutingNote } from '../../core/stores/event-queue.ts';
import { compilePipeline, type NamedStep } from '../definitions/compile.ts';
import type { LoadedPipeline } from '../definitions/definitions.ts';
import type { StepPorts } from '../ports/registry.ts';
import { createBusyTime } from './busy-time.ts';
import type { Progress } from './progress.ts';
import { failedReport, type PostedRun, type RunReport } from './protocol.ts';
import { type BoundPipeline, bindPipeline, type RunResult } from './run.ts';
import { durationsOf, writeTrace } from './trace.ts';

/** The runs of a thread: each pipeline compiled once, each run kept within its time. */

/** Where the events of a pipeline go, as routing answers it. */
export type CompileRoutes = (destinations: readonly PipelineDestination[]) => {
  readonly readsTraits: boolean;
  check(): void;
  match(scope: Scope):
    | {
        readonly kind: 'matched';
        readonly destinations: readonly string[];
        readonly notes: readonly RoutingNote[];
      }
    | { readonly kind: 'over_budget'; readonly destination: string; readonly reason: string };
};

/** A pipeline as it was posted; compiled when the first event comes for it. */
export interface PreparedPipeline {
  readonly pipeline: LoadedPipeline;
  compiled: CompiledForThread | { readonly problem: string } | null;
}

interface CompiledForThread {
  readonly bound: BoundPipeline;
  readonly routes: ReturnType<CompileRoutes>;
  readonly steps: number;
}

/** What a run's own work may take, all steps together: conditions are cut by themselves, many of them add up. */
const MOST_BUSY_MS = 1_000;

interface Meter {
  readonly n: number;
  busyMs: number;
}

interface ThreadRuns {
  /** Never rejects: whatever becomes of a run is a report. */
  run(run: PostedRun, prepared: PreparedPipeline): Promise<RunReport>;
}

export function createThreadRuns(dependencies: {
  readonly ports: StepPorts;
  readonly progress: Progress;
  readonly compileRoutes: CompileRoutes;
}): ThreadRuns {
  const { ports, progress, compileRoutes } = dependencies;
  const meters = new WeakMap<PipelineEvent, Meter>();
  const busy = createBusyTime();

  /** The step, saying where it is before it begins and adding up what it takes. */
  const watched = (step: NamedStep, index: number): NamedStep => ({
    ...step,
    bind(boundPorts) {
      const run = step.bind(boundPorts);
      return state => {
        const meter = meters.get(state.event);
        if (meter === undefined) return run(state);
        if (meter.busyMs > MOST_BUSY_MS)
          return { kind: 'fail', reason: `The run took longer than its budget of ${MOST_BUSY_MS} ms.` };
        progress.at(meter.n, index);
        const began = busy.begin();
        try {
          return run(state);
        } finally {
          meter.busyMs += busy.since(began);
        }
      };
    },
  });

  function compile({ steps, destinations }: LoadedPipeline): CompiledForThread | { problem: string } {
    try {
      const compiled = compilePipeline(steps);
      const routes = compileRoutes(destinations);
      const bound = bindPipeline(
        { ...compiled, steps: compiled.steps.map(watched) },
        { ports, readsTraits: routes.readsTraits },
      );
      return { bound, routes, steps: steps.length };
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }

  async function perform(run: PostedRun, prepared: PreparedPipeline, meter: Meter): Promise<RunReport> {
    progress.at(run.n, 0);
    prepared.compiled ??= compile(prepared.pipeline);
    const { compiled } = prepared;
    if ('problem' in compiled) return failedReport(null, `The pipeline cannot be read: ${compiled.problem}`);
    const payload = parseJson(run.payload) as JsonObject;
    const { orgId, event, sourceName, retries } = run;
    const pipelineId = prepared.pipeline.id;
    const result = await compiled.bound.run({
      orgId,
      pipelineId,
      event,
      payload,
      sourceName,
      tries: retries,
      labels: run.dryRun?.labels ?? {},
    });
    if (result.kind === 'retry') {
      const { afterMs, step, reason, said = null, tallies } = result;
      const trace = writeTrace(result.trace);
      return { kind: 'retry', afterMs, step, reason, said, trace, tallies, busyMs: meter.busyMs };
    }
    progress.at(run.n, compiled.steps);
    const began = busy.begin();
    const report = settle(run, result, compiled, payload);
    return { ...report, busyMs: meter.busyMs + busy.since(began) };
  }

  return {
    async run(run, prepared) {
      const meter: Meter = { n: run.n, busyMs: 0 };
      meters.set(run.event, meter);
      try {
        return await perform(run, prepared, meter);
      } catch (error) {
        if (isStorageAway(error)) return { kind: 'unavailable', tallies: [], busyMs: meter.busyMs };
        return failedReport(null, messageOf(error));
      }
    },
  };

  function settle(
    run: PostedRun,
    result: Extract<RunResult, { kind: 'settled' }>,
    { routes, steps }: CompiledForThread,
    payload: JsonObject,
  ): RunReport {
    const { outcome, claims, tallies, scope, trace, said } = result;
    const ended = {
      kind: 'settled' as const,
      trace: writeTrace(trace),
      durations: durationsOf(trace),
      claims: claims.map(({ scope, key, windowMs, step }) => ({
        scope,
        key,
        step,
        expiresAt: ports.clock.now() + windowMs,
      })),
      tallies,
      busyMs: 0,
      output: run.dryRun === undefined ? '' : writeOutput(run, scope, payload),
      notes: [],
      destinations: [],
    };
    if (outcome.kind !== 'routed') {
      const { kind, step, reason } = outcome;
      return { ...ended, outcome: kind, step, reason, ...(said ? { said } : {}) };
    }
    const match = routes.match(scope);
    if (match.kind === 'over_budget') {
      const reason = `The condition of destination ${match.destination}: ${match.reason}`;
      return { ...ended, outcome: 'failed', step: steps, reason };
    }
    const { destinations, notes } = match;
    const output = destinations.length > 0 ? writeOutput(run, scope, payload) : ended.output;
    return { ...ended, outcome: 'routed', step: null, reason: null, destinations, notes, output };
  }
}

/** What nobody changed goes out as the text that came in. */
const writeOutput = (run: PostedRun, { payload, labels }: Scope, before: JsonObject): string =>
  `{"payload":${payload === before ? run.payload : stringifyJson(payload)},"labels":${stringifyJson(labels)}}`;
