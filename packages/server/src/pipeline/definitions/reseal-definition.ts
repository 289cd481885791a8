import { stringifyJson } from '../../core/json/json.ts';
import type { ChangeText } from '../../core/kinds/kind.ts';
import { readDefinition } from './definitions.ts';
import { resealSteps } from './step-secrets.ts';

/** The stored definition of a pipeline with the sealed secrets of its steps replaced. */
export function resealDefinition(text: string, reseal: ChangeText): string {
  const definition = readDefinition(text);
  return stringifyJson({ ...definition, steps: resealSteps(definition.steps, reseal) });
}
