import { type Clock, minutes } from '../core/clock.ts';
import { isStorageAway } from '../core/errors.ts';
import type { EntityRef } from '../core/event/scope.ts';
import type { OutgoingHttp } from '../core/http/outgoing.ts';
import type { Vault } from '../core/secrets/vault.ts';
import type { PipelineStorage } from '../core/stores/pipelines.ts';
import type { Journal } from '../core/stores/storage.ts';
import { createDefinitions } from './definitions/definitions.ts';
import { createPipelineAdmin, type PipelineAdmin } from './pipeline-admin.ts';
import { createLane, type StartThread } from './thread/pipeline-thread.ts';
import { createThreadPorts } from './thread/ports.ts';
import { failedReport } from './thread/protocol.ts';
import type { CompileRoutes } from './thread/run-batch.ts';
import { createPipelineRunner } from './thread/runner.ts';
import { createLabelCache } from './work/label-cache.ts';
import { createReplayJobs } from './work/replay.ts';
import { createPipelineWorker, type OnSettled } from './work/worker.ts';

/** The parts of this stage, put together: what is asked of it from outside, and what it asks of others. */
export interface PipelineStage {
  readonly admin: PipelineAdmin;
  /** Works on replays that somebody asked for. */
  replay(): Promise<void>;
  /** Events may have been accepted. */
  wake(): void;
  /** Definitions may have changed. */
  invalidate(): void;
  /** Writes what was only counted. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export interface PipelineStageOptions {
  readonly storage: PipelineStorage & Pick<Journal, 'listEvents' | 'findEvent'>;
  readonly clock: Clock;
  readonly vault: Vault;
  /** The threads derive from it what they hash with. */
  readonly secretKey: string;
  readonly client: OutgoingHttp;
  readonly compileRoutes: CompileRoutes;
  readTraits(orgId: string, entity: EntityRef): Promise<string | null>;
  readonly startThread: StartThread;
  readonly nodeId: string;
  readonly isOnlyNode: boolean;
  readonly pollMs: number;
  /** Whether this process works on events. */
  readonly works: boolean;
  mayCache(): boolean;
  mustGiveWay(): boolean;
  onDeliveries(): void;
  readonly onSettled?: OnSettled;
  onError(error: unknown): void;
}

const DRAFTS_IDLE_MS = minutes(1);

export function createPipelineStage(options: PipelineStageOptions): PipelineStage {
  const { storage, clock, vault, onError } = options;
  const definitions = createDefinitions({ storage, vault, mayCache: options.mayCache });
  const cache = createLabelCache(storage, clock);
  const { client, compileRoutes, readTraits } = options;
  const lanes = {
    startThread: options.startThread,
    secretKey: options.secretKey,
    answer: createThreadPorts({ clock, dedupe: storage, cache, model: client, readTraits }),
    isAway: isStorageAway,
  };
  const worker = options.works
    ? createPipelineWorker({
        storage,
        definitions,
        runner: createPipelineRunner(lanes),
        clock,
        nodeId: options.nodeId,
        isOnlyNode: options.isOnlyNode,
        pollMs: options.pollMs,
        mustGiveWay: options.mustGiveWay,
        onDeliveries: options.onDeliveries,
        onSettled: options.onSettled,
        onError,
      })
    : null;

  // A thread of its own for drafts, which goes when nobody has tried one for a while.
  const drafts = createLane({
    ...lanes,
    idleMs: DRAFTS_IDLE_MS,
    onStuck: async (_request, reason, step) => failedReport(step, reason),
  });
  const wake = () => worker?.wake();

  return {
    admin: createPipelineAdmin({ vault, client, compileRoutes, lane: drafts }),
    replay: createReplayJobs({ storage, clock, onParked: wake }),
    wake,
    invalidate: definitions.invalidate,
    flush: cache.flush,
    async stop() {
      drafts.close();
      await worker?.stop();
      await cache.leaveRest().catch(onError);
      await cache.flush().catch(onError);
    },
  };
}
