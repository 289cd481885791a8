import { isStorageAway, messageOf } from '../../core/errors.ts';
import type { RunOutcome, Said, StepTally, TracedOutcome } from '../../core/event/outcome.ts';
import { type PipelineEvent, type Scope, scopeOf } from '../../core/event/scope.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { type JsonLimits, measureJson } from '../../core/json/size.ts';
import type { CompiledPipeline } from '../definitions/compile.ts';
import type { StepPorts } from '../ports/registry.ts';
import type { DedupeClaim, RunState, Step, StepOutcome } from '../step.ts';
import type { Trace, TracedState, TracedStep } from './trace.ts';

/** One run: an event folded over the steps of one pipeline. */

/** A pipeline that is ready to run: its steps are bound to what they ask of the world. */
export interface BoundPipeline {
  run(input: RunInput): Promise<RunResult>;
}

interface RunInput {
  readonly orgId: string;
  readonly pipelineId: string;
  readonly event: PipelineEvent;
  readonly payload: JsonObject;
  readonly sourceName: string | null;
  /** How often this run was tried before. */
  readonly tries: number;
  /** Those that a dry run goes by; none otherwise. */
  readonly labels?: Readonly<Record<string, string>>;
}

interface RunFacts {
  readonly trace: Trace;
  /** The event as the last step left it, for routing and for delivery. */
  readonly scope: Scope;
  readonly tallies: readonly StepTally[];
}

export type RunResult = RunFacts &
  (
    | {
        readonly kind: 'settled';
        readonly outcome: RunOutcome;
        /** To be written with the outcome; where another event was first, its step drops this one. */
        readonly claims: readonly (DedupeClaim & { readonly step: number })[];
        /** What whoever the failed step asked has answered. */
        readonly said?: Said;
      }
    | {
        readonly kind: 'retry';
        readonly step: number;
        readonly afterMs: number;
        readonly reason: string;
        readonly said?: Said;
      }
  );

interface RunDependencies {
  readonly ports: StepPorts;
  /** What steps may make of a payload. */
  readonly limits?: JsonLimits;
  /** Routing may read traits too, where no step does. */
  readonly readsTraits?: boolean;
}

/** Four times what may come in, for whoever adds to the largest event. */
const DEFAULT_LIMITS: JsonLimits = { size: 4 * 1024 * 1024, nesting: 128 };

interface BoundStep {
  readonly kind: string;
  readonly run: Step;
}

export function bindPipeline(pipeline: CompiledPipeline, dependencies: RunDependencies): BoundPipeline {
  const { ports, limits = DEFAULT_LIMITS } = dependencies;
  const steps = pipeline.steps.map(({ kind, bind }): BoundStep => ({ kind, run: bind(ports) }));
  const needsTraits = pipeline.readsTraits || (dependencies.readsTraits ?? false);

  return {
    async run(input) {
      const { orgId, pipelineId, event, tries, payload, labels = {}, sourceName } = input;
      const traits =
        needsTraits && event.entity !== null ? await ports.entities.readTraits(orgId, event.entity) : null;
      const scope = scopeOf(event, { payload, labels, traits, sourceName });
      return fold(steps, { orgId, pipelineId, event, scope, tries }, limits);
    },
  };
}

/** Folds the event over the steps. The only reader of what steps answer: each run ends in exactly one way. */
async function fold(steps: readonly BoundStep[], begin: RunState, limits: JsonLimits): Promise<RunResult> {
  let state = begin;
  const traced: TracedStep[] = [];
  const states: TracedState[] = [];
  const tallies: StepTally[] = [];
  const claims: (DedupeClaim & { step: number })[] = [];
  const report = () => ({ trace: { steps: traced, states }, scope: state.scope, tallies });

  for (const [index, step] of steps.entries()) {
    const began = performance.now();
    const answer = answerOf(step, state);
    const outcome = limited(answer instanceof Promise ? await answer : answer, state.scope, limits);
    if ('tally' in outcome && outcome.tally !== undefined)
      tallies.push({ tally: outcome.tally, step: index });
    const before = states.length;
    if (outcome.kind === 'keep') {
      if (outcome.claim !== undefined) claims.push({ ...outcome.claim, step: index });
      if (outcome.change !== null) {
        const { payload, labels } = outcome.change;
        state = { ...state, scope: { ...state.scope, payload, labels } };
        states.push(outcome.change);
      }
    }
    traced.push({
      kind: step.kind,
      outcome: tracedAs(outcome),
      durationMs: performance.now() - began,
      before,
      after: states.length,
      note: 'reason' in outcome ? outcome.reason : (outcome.note ?? null),
    });
    switch (outcome.kind) {
      case 'keep':
        continue;
      case 'retry':
        return { ...report(), ...outcome, step: index };
      case 'drop':
        return {
          ...report(),
          kind: 'settled',
          outcome: { kind: 'dropped', step: index, stepKind: step.kind, reason: outcome.note },
          claims,
        };
      case 'fail':
        return {
          ...report(),
          kind: 'settled',
          outcome: { kind: 'failed', step: index, stepKind: step.kind, reason: outcome.reason },
          claims,
          ...(outcome.said ? { said: outcome.said } : {}),
        };
    }
  }
  return { ...report(), kind: 'settled', outcome: { kind: 'routed' }, claims };
}

/** Most steps answer at once, and then nobody has to wait. */
function answerOf(step: BoundStep, state: RunState): StepOutcome | Promise<StepOutcome> {
  try {
    const answer = step.run(state);
    return answer instanceof Promise ? answer.catch(error => broken(step, error)) : answer;
  } catch (error) {
    return broken(step, error);
  }
}

/** A step that throws is a defect, and costs its own event alone. Storage that is away is nobody's fault. */
function broken({ kind }: BoundStep, error: unknown): StepOutcome {
  if (isStorageAway(error)) throw error;
  return { kind: 'fail', reason: `${kind} broke: ${messageOf(error)}` };
}

type LimitedOutcome =
  | (Extract<StepOutcome, { kind: 'keep' }> & { readonly change: TracedState | null })
  | Exclude<StepOutcome, { kind: 'keep' }>;

/** Measures what a step changed, and fails it where that is more than may be. */
function limited(outcome: StepOutcome, scope: Scope, limits: JsonLimits): LimitedOutcome {
  if (outcome.kind !== 'keep') return outcome;
  if (outcome.payload === undefined && outcome.labels === undefined) return { ...outcome, change: null };
  const { payload = scope.payload, labels = scope.labels } = outcome;
  const measured = measureJson({ payload, labels }, limits);
  switch (measured.kind) {
    case 'measured':
      return { ...outcome, change: { payload, labels, size: measured.size } };
    case 'too_large':
      return { kind: 'fail', reason: `The payload would be larger than ${limits.size} characters.` };
    case 'too_deep':
      return { kind: 'fail', reason: `The payload would be nested deeper than ${limits.nesting} levels.` };
  }
}

function tracedAs(outcome: LimitedOutcome): TracedOutcome {
  switch (outcome.kind) {
    case 'keep':
      return outcome.change === null ? 'kept' : 'changed';
    case 'drop':
      return 'dropped';
    case 'retry':
    case 'fail':
      return 'failed';
  }
}
