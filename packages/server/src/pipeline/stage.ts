import { type Clock, minutes } from '../core/clock.ts';
import { isStorageAway } from '../core/errors.ts';
import type { EntityRef } from '../core/event/scope.ts';
import type { OutgoingHttp } from '../core/http/outgoing.ts';
import type { ReplayActions } from '../core/jobs/replay.ts';
import type { PipelineAdmin } from '../core/kinds/pipeline-admin.ts';
import type { Vault } from '../core/secrets/vault.ts';
import type { ChangeListener } from '../core/stores/change.ts';
import type { ConfigurationStore } from '../core/stores/configuration.ts';
import type { JobStore } from '../core/stores/jobs.ts';
import type { ClaimHolder, Membership } from '../core/work/membership.ts';
import { createDefinitions } from './definitions/definitions.ts';
import { createPipelineAdmin } from './pipeline-admin.ts';
import type { PortDependencies } from './ports/port.ts';
import { servePorts } from './ports/serve.ts';
import { createPipelineThread, type StartThread } from './thread/pipeline-thread.ts';
import { failedReport } from './thread/protocol.ts';
import type { CompileRoutes } from './thread/run-batch.ts';
import { createPipelineRunner } from './thread/runner.ts';
import { createReplayJobs, type ReplayJobOptions } from './work/replay.ts';
import type { OnSettled } from './work/settler.ts';
import { createReplayActions } from './work/start-replay.ts';
import { createPipelineWorker, type PipelineWorker, type WorkerOptions } from './work/worker.ts';

/** The stage of pipelines, its parts put together: what is asked of it from outside, and what it asks of others. */
export interface PipelineStage extends ClaimHolder {
  readonly admin: PipelineAdmin;
  readonly replays: ReplayActions;
  start(): void;
  /** Works on replays that somebody asked for. */
  replayJobs(): Promise<void>;
  /** Room for what is about to be accepted here, so that it is worked on from memory. */
  readonly reserve: PipelineWorker['reserve'];
  readonly forget: PipelineWorker['forget'];
  /** Events may wait in storage. */
  wake(): void;
  /** Configuration has changed. */
  readonly invalidate: ChangeListener;
  /** Why this process cannot work on events at present; null where it can, or is not to. */
  problem(): string | null;
  /** Writes what was only counted. */
  flush(): Promise<void>;
  /** Ends it, whether or not it was started. */
  stop(): Promise<void>;
}

interface PipelineStageOptions {
  readonly configuration: Pick<ConfigurationStore, 'readProcessing' | 'findPipelineVersion'>;
  readonly eventQueue: WorkerOptions['eventQueue'] &
    PortDependencies['eventQueue'] &
    ReplayJobOptions['eventQueue'];
  readonly jobs: ReplayJobOptions['jobs'] & Pick<JobStore, 'audited'>;
  readonly journal: ReplayJobOptions['journal'];
  readonly clock: Clock;
  readonly vault: Vault;
  /** The threads derive from it what they hash with. */
  readonly secretKey: string;
  readonly client: OutgoingHttp;
  readonly compileRoutes: CompileRoutes;
  readTraits(orgId: string, entity: EntityRef): Promise<string | null>;
  readonly startThread: StartThread;
  readonly newToken: Membership['newToken'];
  readonly pollMs: number;
  /** Whether this process works on events. */
  readonly works: boolean;
  mayCache(): boolean;
  isStopping(): boolean;
  mustGiveWay(): boolean;
  readonly reserveDeliveries: WorkerOptions['reserveDeliveries'];
  onDeliveries(): void;
  readonly onSettled?: OnSettled;
  onError(error: unknown): void;
}

const DRAFTS_IDLE_MS = minutes(1);

export function createPipelineStage(options: PipelineStageOptions): PipelineStage {
  const { configuration, eventQueue, jobs, journal, clock, vault, onError } = options;
  const definitions = createDefinitions({ configuration, vault, mayCache: options.mayCache });
  const { client, compileRoutes, readTraits, newToken } = options;
  const ports = servePorts({ clock, eventQueue, client, readTraits, newToken });
  const threads = {
    startThread: options.startThread,
    secretKey: options.secretKey,
    answer: ports.answer,
    onError,
    isAway: isStorageAway,
  };
  const runner = createPipelineRunner(threads);
  const worker = options.works
    ? createPipelineWorker({
        eventQueue,
        definitions,
        runner,
        clock,
        newToken,
        pollMs: options.pollMs,
        mustGiveWay: options.mustGiveWay,
        reserveDeliveries: options.reserveDeliveries,
        onDeliveries: options.onDeliveries,
        onSettled: options.onSettled,
        onError,
      })
    : null;

  // A thread of its own for drafts, which goes when nobody has tried one for a while.
  const drafts = createPipelineThread({
    ...threads,
    idleMs: DRAFTS_IDLE_MS,
    onStuck: async (_request, reason, step) => failedReport(step, reason),
    onDown: problem => failedReport(null, problem),
  });
  const wake = () => worker?.wake();

  return {
    start: () => worker?.start(),
    admin: createPipelineAdmin({ vault, client, compileRoutes, thread: drafts }),
    replays: createReplayActions({ jobs, clock }),
    replayJobs: createReplayJobs({
      eventQueue,
      jobs,
      journal,
      clock,
      newToken,
      onParked: wake,
      isStopping: options.isStopping,
    }),
    heldTokens: () => worker?.heldTokens() ?? [],
    dropClaims: () => worker?.dropClaims(),
    reserve: requests => worker?.reserve(requests) ?? null,
    forget: (orgId, eventIds) => worker?.forget(orgId, eventIds),
    wake,
    invalidate: definitions.invalidate,
    problem: runner.problem,
    flush: ports.flush,
    async stop() {
      drafts.stop();
      await worker?.stop();
      await ports.release().catch(onError);
      await ports.flush().catch(onError);
    },
  };
}
