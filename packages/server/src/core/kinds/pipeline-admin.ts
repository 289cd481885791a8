import type { PipelineDefinition, StepTrace } from '@sluice/contract';
import type { FailedTry, Said } from '../event/outcome.ts';
import type { PipelineEvent } from '../event/scope.ts';
import type { JsonObject } from '../json/json.ts';
import type { RoutingNote } from '../stores/event-queue.ts';
import type { KindDescription } from './kind.ts';
import type { PortableSecrets } from './portable.ts';

/**
 * The administration of pipelines: a definition as somebody sends it becomes one that is checked and sealed,
 * and a stored one becomes something to show, or to try.
 */
export interface PipelineAdmin {
  kinds(): StepKindDescription[];
  /** Checks it against what there is and against the world, or refuses with a 400; answers it sealed, as JSON text. */
  accept(input: DefinitionInput): Promise<string>;
  /** A stored definition with its secrets masked. */
  show(definition: string): VersionedDefinition;
  /** Looks at the secrets of steps that came out of a file; a 400 where one is written there. */
  readPortable(input: {
    readonly orgId: string;
    readonly steps: VersionedDefinition['steps'];
    readonly stored: DefinitionInput['stored'];
  }): PortableSecrets;
  /** A stored trace, with the event it began with. */
  showTrace(trace: string, payload: JsonObject): ShownTrace;
  /** Runs an event through a definition as somebody sends it, and leaves nothing behind. */
  dryRun(input: DefinitionInput & DryRunInput): Promise<DryRunReport>;
}

/** The classes of the specification: what a step may do to an event. */
export type StepClass = 'mutating' | 'control' | 'enrichment';

export interface StepKindDescription extends KindDescription {
  readonly class: StepClass;
  /** The names of the ports that it is bound to. */
  readonly needs: readonly string[];
}

/** What is stored with each version: all but whether the pipeline is enabled. */
export type VersionedDefinition = Omit<PipelineDefinition, 'enabled'>;

export interface DefinitionInput {
  readonly orgId: string;
  readonly id: string;
  readonly given: VersionedDefinition;
  /** A definition that is there already, whose secrets may be kept: of this pipeline, or of one that it is a copy of. */
  readonly stored: { readonly id: string; readonly definition: string } | null;
  /** Of the organisation. */
  readonly sourceIds: readonly string[];
  readonly destinationIds: readonly string[];
}

export interface DryRunEvent {
  readonly event: PipelineEvent;
  /** JSON text. */
  readonly payload: string;
  readonly sourceName: string | null;
}

interface DryRunInput extends DryRunEvent {
  /** Models cost money: they are asked only where somebody said so. */
  readonly mayAskModel: boolean;
  /** What models are taken to have answered, by label. */
  readonly labels: Readonly<Record<string, string>>;
}

interface DryRunReport extends ShownTrace {
  readonly outcome: 'routed' | 'dropped' | 'failed' | 'retry';
  readonly step: number | null;
  readonly reason: string | null;
  /** What the model answered in place of a label. */
  readonly said: Said | null;
  readonly payload: unknown;
  readonly labels: unknown;
  readonly destinations: readonly string[];
  readonly notes: readonly RoutingNote[];
}

export interface ShownTrace {
  readonly steps: readonly StepTrace[];
  /** The first step whose states are not shown, or were too large to be kept whole; null where there is none. */
  readonly cutAt: number | null;
  /** Of a step that was retried, or whose last try failed after an answer; none otherwise. */
  readonly tries: readonly FailedTry[];
}
