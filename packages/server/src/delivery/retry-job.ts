import { type Clock, minutes } from '../core/clock.ts';
import type { Storage } from '../core/ports.ts';
import type { DeliveryFilter } from '../core/ports-delivery.ts';
import type { Job } from '../core/ports-storage-pipeline.ts';
import { RETRY_JOB } from '../core/replay.ts';

type RetryStorage = Pick<
  Storage,
  'claimJob' | 'advanceJob' | 'finishJob' | 'listDeliveries' | 'retryDelivery'
>;

const LEASE_MS = minutes(1);
const SLICE = 200;

/** Retries all dead letters that match, in slices, saying how far it has come and stopping when it is cancelled. */
export function createRetryJobs(options: {
  readonly storage: RetryStorage;
  readonly clock: Clock;
  onDeliveriesDue(): void;
  isStopping(): boolean;
}): () => Promise<void> {
  const { storage, clock, isStopping } = options;

  /** Works on every open job that nobody else works on. */
  return async () => {
    while (!isStopping()) {
      const job = await storage.claimJob([RETRY_JOB], clock.now(), LEASE_MS);
      if (job === null) return;
      await retryAll(job);
    }
  };

  async function retryAll(job: Job): Promise<void> {
    const { filter } = JSON.parse(job.request) as { filter: DeliveryFilter };
    // Down by id, and never up again: what dies anew while the job runs is not retried for ever.
    let below = job.position;
    for (;;) {
      const dead = await storage.listDeliveries(
        job.orgId,
        { ...filter, state: 'dead' },
        { limit: SLICE, below },
      );
      if (dead.length === 0) break;
      let retried = 0;
      for (const { orgId, id } of dead) if (await storage.retryDelivery(orgId, id, clock.now())) retried++;
      below = dead.at(-1)?.id ?? null;
      options.onDeliveriesDue();
      const progress = { done: dead.length, failed: dead.length - retried, position: below };
      // At a stop it is left to whoever comes next.
      const until = isStopping() ? clock.now() : clock.now() + LEASE_MS;
      if (!(await storage.advanceJob(job.orgId, job.id, progress, until)) || isStopping()) return;
    }
    await storage.finishJob(job.orgId, job.id, 'done', clock.now());
  }
}
