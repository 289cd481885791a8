import { createHmac } from 'node:crypto';
import type { PipelineEvent } from '../../src/core/event/scope.ts';
import type { JsonObject } from '../../src/core/json/json.ts';
import { type CompiledPipeline, compilePipeline } from '../../src/pipeline/definitions/compile.ts';
import type { StepPorts } from '../../src/pipeline/ports/registry.ts';
import { createSharedCalls } from '../../src/pipeline/ports/shared-calls.ts';
import { bindPipeline, type RunResult } from '../../src/pipeline/thread/run.ts';
import { sampleEvent } from './scope.ts';

/** Ports that keep nothing and reach nowhere; a test replaces those that it is about. */
export const quietPorts = (change: Partial<StepPorts> = {}): StepPorts => ({
  clock: { now: () => Date.UTC(2026, 0, 31, 12) },
  dedupe: { findClaim: async () => null },
  labels: {
    claimLabel: async () => ({ kind: 'claimed' }),
    keepLabel: async () => {},
    releaseLabel: async () => {},
  },
  model: null,
  sharedCalls: createSharedCalls(),
  digest: (purpose, text) => createHmac('sha256', 'key').update(`${purpose}\n${text}`).digest('hex'),
  wait: async () => {},
  entities: { readTraits: async () => ({ plan: 'pro' }) },
  ...change,
});

export interface RunOptions {
  readonly ports?: Partial<StepPorts>;
  readonly event?: Partial<PipelineEvent>;
  readonly traits?: JsonObject | null;
  readonly tries?: number;
  readonly orgId?: string;
}

export function runPipeline(
  pipeline: CompiledPipeline,
  payload: JsonObject,
  options: RunOptions = {},
): Promise<RunResult> {
  const { traits } = options;
  const entities = traits === undefined ? {} : { entities: { readTraits: async () => traits } };
  return bindPipeline(pipeline, { ports: quietPorts({ ...entities, ...options.ports }) }).run({
    orgId: options.orgId ?? 'org_1',
    pipelineId: 'pipe_1',
    event: sampleEvent(options.event),
    payload,
    sourceName: 'Shop',
    tries: options.tries ?? 0,
  });
}

/** One step, from its configuration as it is saved to what it makes of a payload. */
export const runStep = (kind: string, config: JsonObject, payload: JsonObject, options: RunOptions = {}) =>
  runPipeline(compilePipeline([{ kind, config }]), payload, options);

/** The payload after the step, or how else it ended. */
export async function payloadAfter(
  kind: string,
  config: JsonObject,
  payload: JsonObject,
  options: RunOptions = {},
) {
  const result = await runStep(kind, config, payload, options);
  if (result.kind === 'retry') return result.reason;
  return result.outcome.kind === 'routed' ? result.scope.payload : result.outcome.reason;
}
