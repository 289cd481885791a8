import { describeKind, type KindDescription } from '../core/kind.ts';
import type { StepClass, StepKind } from './step.ts';
import { classify } from './steps/classify.ts';
import { dedupe } from './steps/dedupe.ts';
import { enrichEntity } from './steps/enrich-entity.ts';
import { filterMatch } from './steps/filter-match.ts';
import { redactPii } from './steps/redact-pii.ts';
import { transform } from './steps/transform.ts';

/** Every kind of step there is. A new one is a file, and a line here. */
export const stepKinds: readonly StepKind[] = [
  transform,
  dedupe,
  filterMatch,
  classify,
  redactPii,
  enrichEntity,
];

export const findStepKind = (name: string): StepKind | undefined =>
  stepKinds.find(kind => kind.name === name);

/** For forms and reference pages. */
export const describeSteps = (): (KindDescription & { readonly class: StepClass })[] =>
  stepKinds.map(kind => ({ ...describeKind(kind), class: kind.class }));
