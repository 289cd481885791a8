import type { Clock } from '../core/clock.ts';
import type { ClassifyCache, ModelClient } from '../core/ports-pipeline.ts';
import type { DedupeKeys } from '../core/ports-storage-pipeline.ts';
import type { EntityTie } from '../core/scope.ts';
import type { PlainResult } from './thread-calls.ts';
import type { PortName } from './thread-protocol.ts';

/** What a thread of pipelines asks for, done on this side. */
export function createThreadPorts(dependencies: {
  readonly clock: Clock;
  readonly dedupe: DedupeKeys;
  readonly cache: ClassifyCache;
  readonly model: ModelClient;
  /** The entity's traits as JSON text, or null where there is none. */
  readTraits(orgId: string, entity: EntityTie): Promise<string | null>;
}): (name: PortName, args: readonly unknown[]) => Promise<unknown> {
  const { clock, dedupe, cache, model, readTraits } = dependencies;

  async function request(...args: Parameters<ModelClient['request']>): Promise<PlainResult> {
    const result = await model.request(...args);
    return result.kind === 'failed' ? result : { ...result, headers: [...result.headers] };
  }

  const ports = {
    findClaims: (keys: Parameters<DedupeKeys['findDedupeKeys']>[0]) =>
      dedupe.findDedupeKeys(keys, clock.now()),
    claimLabel: cache.claimLabel,
    keepLabel: cache.keepLabel,
    releaseLabel: cache.releaseLabel,
    readTraits,
    request,
  } satisfies Record<PortName, unknown>;

  return (name, args) => (ports[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
}
