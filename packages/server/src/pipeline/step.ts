import type { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import type { StepOutcome } from '../core/event/outcome.ts';
import type { PipelineEvent, Scope } from '../core/event/scope.ts';
import { Budget, OverBudget } from '../core/expressions/cel/budget.ts';
import { defineKind, type Kind } from '../core/kinds/kind.ts';
import type { ClassifyCache, DedupeStore, ModelClient } from '../core/kinds/step-ports.ts';
import type { SharedCalls } from './thread/shared-calls.ts';

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

/** Most steps answer at once; only those that ask somebody else make the run wait. */
export type Step = (state: RunState) => StepOutcome | Promise<StepOutcome>;

/** A step's own work on one event. Where that takes more than its budget the step fails, and costs nobody else. */
export function withinBudget(work: (budget: Budget) => StepOutcome): StepOutcome {
  try {
    return work(new Budget());
  } catch (error) {
    if (error instanceof OverBudget) return { kind: 'fail', reason: error.message };
    throw error;
  }
}

/** What steps ask of the world. Each takes the few of these that it needs. */
export interface StepPorts {
  readonly clock: Clock;
  readonly dedupe: DedupeStore;
  readonly cache: ClassifyCache;
  /** Null where no model may be asked: a dry run that did not ask for it. */
  readonly model: ModelClient | null;
  readonly calls: SharedCalls;
  /** A digest under a key of the installation, for this purpose only. */
  digest(purpose: string, text: string): string;
  wait(ms: number): Promise<void>;
}

/** A step whose configuration was read and checked. */
export interface CompiledStep {
  /** Whether it reads the traits of the tied entity, which then have to be fetched. */
  readonly readsTraits: boolean;
  /** URLs of the configuration, to be checked when it is saved. */
  readonly urls?: readonly { readonly url: string; readonly path: string }[];
  bind(ports: StepPorts): Step;
}

/** The classes of the specification: what a step may do to an event. */
export type StepClass = 'mutating' | 'control' | 'enrichment';

export interface StepKind<C extends z.ZodType = z.ZodType> extends Kind<C> {
  readonly class: StepClass;
  /** Refuses with a 400 whose path begins with the given one. */
  compile(config: z.output<C>, path: string): CompiledStep;
}

export const defineStep = <C extends z.ZodType>(
  kind: Omit<StepKind<C>, 'secrets'> & Partial<Pick<StepKind<C>, 'secrets'>>,
): StepKind<C> => defineKind(kind);
