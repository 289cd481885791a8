import type { PipelineStep } from '@sluice/contract';
import { invalid } from '../../core/errors.ts';
import { type Json, requireNesting } from '../../core/json/json.ts';
import { readConfig } from '../../core/kinds/kind.ts';
import { pickPorts } from '../ports/registry.ts';
import type { CompiledStep } from '../step.ts';
import { findStepKind, stepKinds } from '../steps/registry.ts';

/** The steps of a pipeline, read: they can be run. */
export interface CompiledPipeline {
  readonly steps: readonly NamedStep[];
  /** Whether any step reads the traits of the event's entity, which then have to be fetched. */
  readonly readsTraits: boolean;
  /** URLs of configurations, each with its path, to be checked by who saves them. */
  readonly urls: readonly { readonly url: string; readonly path: string }[];
  /** For who saves them or tries them out: refuses with a 400 what could work for no event. */
  check(): void;
}

export interface NamedStep extends CompiledStep {
  readonly kind: string;
}

/** Deeper ones would only be there to make something overflow. */
const DEEPEST_CONFIG = 64;

/** Secrets are given in the clear. Refuses with a 400 that points at `steps[i].config.…` and at the character. */
export function compilePipeline(steps: readonly PipelineStep[], path = 'steps'): CompiledPipeline {
  const compiled = steps.map((step, i) => compileStep(step, `${path}[${i}]`));
  return {
    steps: compiled,
    readsTraits: compiled.some(({ readsTraits }) => readsTraits),
    urls: compiled.flatMap(({ urls = [] }) => urls),
    check() {
      for (const step of compiled) step.check?.();
    },
  };
}

function compileStep(step: PipelineStep, path: string): NamedStep {
  const kind = findStepKind(step.kind);
  if (kind === undefined) {
    const known = stepKinds.map(({ name }) => name).join(', ');
    throw invalid(`${path}.kind`, `${path}.kind must be one of ${known}.`);
  }
  const at = `${path}.config`;
  requireNesting(step.config as Json, DEEPEST_CONFIG, at);
  const compiled = kind.compile(readConfig(kind, step.config, at), at);
  return { ...compiled, kind: kind.name, bind: ports => compiled.bind(pickPorts(ports, kind.needs)) };
}
