import type { z } from 'zod';
import type { Said, Tally } from '../core/event/outcome.ts';
import type { PipelineEvent, Scope } from '../core/event/scope.ts';
import { Budget, OverBudget } from '../core/expressions/cel/budget.ts';
import type { JsonObject } from '../core/json/json.ts';
import { defineKind, describeKind, type Kind } from '../core/kinds/kind.ts';
import type { StepClass, StepKindDescription } from '../core/kinds/pipeline-admin.ts';
import type { PortName, StepPorts } from './ports/registry.ts';

/** One event in the middle of one pipeline. Never changed in place: a step answers what is to be different. */
export interface RunState {
  readonly orgId: string;
  readonly pipelineId: string;
  readonly event: PipelineEvent;
  /** Payload, labels and all else that can be read by name. */
  readonly scope: Scope;
  /** How often this run was tried before. */
  readonly tries: number;
}

/** What a step may answer. The set is closed, and `thread/run.ts` is its only reader. */
export type StepOutcome =
  | {
      readonly kind: 'keep';
      /** Left out where the step did not change it. */
      readonly payload?: JsonObject;
      readonly labels?: JsonObject;
      readonly note?: string;
      /** To be written when the run is settled. */
      readonly claim?: DedupeClaim;
      readonly tally?: Tally;
    }
  | { readonly kind: 'drop'; readonly note: string }
  /** The cause lies outside the event: try again later. */
  | {
      readonly kind: 'retry';
      readonly afterMs: number;
      readonly reason: string;
      readonly said?: Said;
      readonly tally?: Tally;
    }
  | { readonly kind: 'fail'; readonly reason: string; readonly said?: Said; readonly tally?: Tally };

/** A key that this event was the first to bring; it counts once the run that claims it is settled. */
export interface DedupeClaim {
  /** Keys are apart by pipeline and by what the key is made of, and outlive the pipeline's versions. */
  readonly scope: string;
  /** SHA-256 of the canonical key. */
  readonly key: string;
  readonly windowMs: number;
}

/** Most steps answer at once; only those that ask somebody else make the run wait. */
export type Step = (state: RunState) => StepOutcome | Promise<StepOutcome>;

/** A step's own work on one event. Where that takes more than its budget the step fails, and costs nobody else. */
export function withinBudget(
  work: (budget: Budget) => StepOutcome,
  budget: Budget = new Budget(),
): StepOutcome {
  try {
    return work(budget);
  } catch (error) {
    if (error instanceof OverBudget) return { kind: 'fail', reason: error.message };
    throw error;
  }
}

/** A step whose configuration was read and checked. */
export interface CompiledStep<N extends PortName = PortName> {
  /** Whether it reads the traits of the event's entity, which then have to be fetched. */
  readonly readsTraits: boolean;
  /** URLs of the configuration, to be checked when it is saved. */
  readonly urls?: readonly { readonly url: string; readonly path: string }[];
  /** Asked when it is saved or tried out: refuses with a 400 what could work for no event, and only fails to match. */
  check?(): void;
  bind(ports: Pick<StepPorts, N>): Step;
}

export interface StepKind<C extends z.ZodType = z.ZodType, N extends PortName = PortName> extends Kind<C> {
  readonly class: StepClass;
  /** The ports that its steps are bound to; they get no others. */
  readonly needs: readonly N[];
  /** Refuses with a 400 whose path begins with the given one. */
  compile(config: z.output<C>, path: string): CompiledStep<N>;
}

export const defineStep = <C extends z.ZodType, const N extends PortName>(
  kind: Omit<StepKind<C, N>, 'secrets'> & Partial<Pick<StepKind<C, N>, 'secrets'>>,
): StepKind<C, N> => defineKind(kind);

/** For forms and reference pages. */
export const describeStep = (kind: StepKind): StepKindDescription => ({
  ...describeKind(kind),
  class: kind.class,
  needs: kind.needs,
});
