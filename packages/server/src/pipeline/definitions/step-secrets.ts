import type { PipelineStep } from '@sluice/contract';
import { invalid } from '../../core/errors.ts';
import { getPath, parsePath } from '../../core/expressions/path.ts';
import { canonicalJson } from '../../core/json/canonical.ts';
import type { JsonObject } from '../../core/json/json.ts';
import {
  type ChangeText,
  type Kind,
  keepSecrets,
  keepsSecrets,
  keptSecrets,
  maskSecrets,
  openSecrets,
  readConfig,
  requireNoSecrets,
  resealSecrets,
  sealSecrets,
} from '../../core/kinds/kind.ts';
import type { StepKind } from '../step.ts';
import { findStepKind } from '../steps/registry.ts';

/** The secrets of all steps of a pipeline: sealed at rest, opened to compile, masked for whoever looks. */
export const maskSteps = (steps: readonly PipelineStep[]) => eachStep(steps, maskSecrets);

export const sealSteps = (steps: readonly PipelineStep[], seal: ChangeText) =>
  eachStep(steps, (kind, config, i) => sealSecrets(kind, config, inStep(i, seal)));

export const openSteps = (steps: readonly PipelineStep[], open: ChangeText) =>
  eachStep(steps, (kind, config, i) => openSecrets(kind, config, inStep(i, open)));

export const resealSteps = (steps: readonly PipelineStep[], reseal: ChangeText) =>
  eachStep(steps, (kind, config, i) => resealSecrets(kind, config, inStep(i, reseal)));

/** The path as seen from the whole definition. */
const inStep =
  (i: number, change: ChangeText): ChangeText =>
  (text, path) =>
    change(text, `steps[${i}].config.${path}`);

/**
 * Puts stored secrets where the given steps say to keep them. Steps have no names, and may have been moved or
 * changed meanwhile: a step's secret is that of the stored step that is otherwise the same, or else of the one in
 * its place, or else of the only one of its kind. It goes to nobody but whom it was given for: a step that now
 * speaks to another server needs it typed again.
 */
export const keepStepSecrets = (
  given: readonly PipelineStep[],
  stored: readonly PipelineStep[],
): PipelineStep[] =>
  eachStep(given, (kind, config, i) => {
    if (!keepsSecrets(kind, config)) return config;
    const path = `steps[${i}].config`;
    const before = findStored(kind, config, i, stored);
    const kept = keepSecrets(kind, config, before, path);
    if (before !== null) requireSameServers(kind, config, { before, kept, path });
    return kept;
  });

/** Where the given steps say that a secret is set, as seen from the definition. */
export const stepMarks = (given: readonly PipelineStep[]): string[] =>
  given.flatMap((step, i) => {
    const kind = findStepKind(step.kind);
    const kept = kind === undefined ? [] : keptSecrets(kind, step.config as JsonObject);
    return kept.map(secret => `steps[${i}].config.${secret}`);
  });

/** Of those, the ones that are not there, or were given for another server. */
export const missingStepSecrets = (
  given: readonly PipelineStep[],
  stored: readonly PipelineStep[],
): string[] =>
  given.flatMap((step, i) => {
    const kind = findStepKind(step.kind);
    if (kind === undefined) return [];
    const config = step.config as JsonObject;
    const path = `steps[${i}].config`;
    const before = findStored(kind, config, i, stored);
    const marks = keptSecrets(kind, config);
    const absent = marks.filter(secret => before === null || !getPath(before, parsePath(secret)));
    const isMissing = absent.length > 0 || !goesToSameServers(kind, config, before, path);
    return isMissing ? marks.map(secret => `${path}.${secret}`) : [];
  });

function goesToSameServers(
  kind: StepKind,
  config: JsonObject,
  before: JsonObject | null,
  path: string,
): boolean {
  if (before === null) return true;
  const kept = keepSecrets(kind, config, before, path);
  return serversOf(kind, before, path) === serversOf(kind, kept, path);
}

/** A secret that stands in a file is everybody's who reads it. */
export const refuseWrittenSecrets = (given: readonly PipelineStep[]): void => {
  eachStep(given, (kind, config, i) => {
    requireNoSecrets(kind, config, `steps[${i}].config`);
    return config;
  });
};

function requireSameServers(
  kind: StepKind,
  given: JsonObject,
  { before, kept, path }: { before: JsonObject; kept: JsonObject; path: string },
): void {
  if (serversOf(kind, before, path) === serversOf(kind, kept, path)) return;
  const field = `${path}.${keptSecrets(kind, given)[0]}`;
  throw invalid(
    field,
    `${field}: enter this secret again for the new server; the stored one is not sent there.`,
  );
}

const serversOf = (kind: StepKind, config: JsonObject, path: string): string =>
  (kind.compile(readConfig(kind, config, path), path).urls ?? [])
    .map(({ url }) => new URL(url).origin)
    .join(' ');

function findStored(
  kind: Kind,
  config: JsonObject,
  place: number,
  stored: readonly PipelineStep[],
): JsonObject | null {
  const shown = (step: PipelineStep) => canonicalJson(maskSecrets(kind, step.config as JsonObject));
  const same = stored.filter(step => step.kind === kind.name);
  const asGiven = canonicalJson(maskSecrets(kind, config));
  const match =
    same.find(step => shown(step) === asGiven) ??
    same.find(step => step === stored[place]) ??
    (same.length === 1 ? same[0] : undefined);
  return match === undefined ? null : (match.config as JsonObject);
}

function eachStep(
  steps: readonly PipelineStep[],
  change: (kind: StepKind, config: JsonObject, index: number) => JsonObject,
): PipelineStep[] {
  return steps.map((step, i) => {
    const kind = findStepKind(step.kind);
    return kind === undefined ? step : { ...step, config: change(kind, step.config as JsonObject, i) };
  });
}
