import type { StepKind } from '../step.ts';
import { classify } from './classify.ts';
import { dedupe } from './dedupe.ts';
import { enrichEntity } from './enrich-entity.ts';
import { filterMatch } from './filter-match.ts';
import { redactPii } from './redact-pii.ts';
import { transform } from './transform.ts';

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
