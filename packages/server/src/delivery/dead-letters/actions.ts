import type { Clock } from '../../core/clock.ts';
import { type DeadLetterActions, DISCARD_JOB, RETRY_JOB } from '../../core/jobs/dead-letters.ts';
import type { DeliveryQueue } from '../../core/stores/delivery-queue.ts';
import type { JobStore } from '../../core/stores/jobs.ts';
import type { Journal } from '../../core/stores/journal.ts';
import { createDeadLetterExport } from './export.ts';
import { createDeadLetterFinder } from './find.ts';
import { createJobStart } from './start-job.ts';

/** What is done with dead letters as a whole: they are listed, counted, exported, retried and discarded. */
export function createDeadLetterActions(options: {
  readonly deliveryQueue: Parameters<typeof createDeadLetterFinder>[0] & Pick<DeliveryQueue, 'findDelivery'>;
  readonly journal: Pick<Journal, 'findEvent'>;
  readonly jobs: Pick<JobStore, 'audited' | 'listJobs'>;
  readonly clock: Clock;
  onDeliveriesDue(): void;
}): DeadLetterActions {
  const finder = createDeadLetterFinder(options.deliveryQueue);
  const { count } = finder;
  return {
    async list(orgId, selection, page) {
      const { letters, next } = await finder.find(orgId, selection, page);
      return { letters: await finder.read(orgId, letters), next };
    },
    count,
    export: createDeadLetterExport(options, finder),
    retry: createJobStart(RETRY_JOB, { ...options, count }),
    discard: createJobStart(DISCARD_JOB, { ...options, count }),
  };
}
