import type { Clock } from '../../core/clock.ts';
import type { EntityRef } from '../../core/event/scope.ts';
import type { ClassifyCache, ModelClient } from '../../core/kinds/step-ports.ts';
import type { DedupeKeys } from '../../core/stores/pipelines.ts';
import type { PlainResult } from './calls.ts';
import type { PortName } from './protocol.ts';

/** What a thread of pipelines asks for, done on this side. */
export function createThreadPorts(dependencies: {
  readonly clock: Clock;
  readonly dedupe: DedupeKeys;
  readonly cache: ClassifyCache;
  readonly model: ModelClient;
  /** The entity's traits as JSON text, or null where there is none. */
  readTraits(orgId: string, entity: EntityRef): Promise<string | null>;
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
