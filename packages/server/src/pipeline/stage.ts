import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/errors.ts';
import type { ModelClient } from '../core/ports-pipeline.ts';
import type { PipelineStorage } from '../core/ports-storage-pipeline.ts';
import type { EntityTie } from '../core/scope.ts';
import type { Vault } from '../core/vault.ts';
import { createDefinitions } from './definitions.ts';
import { createLabelCache } from './label-cache.ts';
import type { StartThread } from './lane.ts';
import { createPipelineRunner } from './runner.ts';
import { createThreadPorts } from './thread-ports.ts';
import { createPipelineWorker } from './worker.ts';

/** The parts of this stage, put together: what is asked of it from outside, and what it asks of others. */
export interface PipelineStage {
  /** Events may have been accepted. */
  wake(): void;
  /** Definitions may have changed. */
  forget(): void;
  /** Writes what was only counted. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export interface PipelineStageOptions {
  readonly storage: PipelineStorage;
  readonly clock: Clock;
  readonly vault: Vault;
  /** The threads derive from it what they hash with. */
  readonly secretKey: string;
  readonly model: ModelClient;
  readTraits(orgId: string, entity: EntityTie): Promise<string | null>;
  readonly startThread: StartThread;
  readonly nodeId: string;
  readonly pollMs: number;
  /** Whether this process works on events. */
  readonly works: boolean;
  mayRemember(): boolean;
  onDeliveries(): void;
  onError(error: unknown): void;
}

export function createPipelineStage(options: PipelineStageOptions): PipelineStage {
  const { storage, clock, vault, onError } = options;
  const definitions = createDefinitions({ storage, vault, mayRemember: options.mayRemember });
  const cache = createLabelCache(storage, clock);
  const { model, readTraits } = options;
  const lanes = {
    startThread: options.startThread,
    secretKey: options.secretKey,
    answer: createThreadPorts({ clock, dedupe: storage, cache, model, readTraits }),
    isAway: (error: unknown) => error instanceof Problem && error.code === 'storage_unavailable',
  };
  const worker = options.works
    ? createPipelineWorker({
        storage,
        definitions,
        runner: createPipelineRunner(lanes),
        clock,
        nodeId: options.nodeId,
        pollMs: options.pollMs,
        onDeliveries: options.onDeliveries,
        onError,
      })
    : null;

  return {
    wake: () => worker?.wake(),
    forget: definitions.forget,
    flush: cache.flush,
    async stop() {
      await worker?.stop();
      await cache.flush().catch(onError);
    },
  };
}
