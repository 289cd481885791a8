import type { Clock } from '../../core/clock.ts';
import type { DeadLetterActions } from '../../core/jobs/dead-letters.ts';
import { createDeadLetterExport, type ExportStorage } from './export.ts';
import { createDeadLetterFinder, type FindStorage } from './find.ts';
import { createRetryStart, type RetryStartStorage } from './retry.ts';

/** What is done with dead letters as a whole: they are listed, counted, exported and retried. */
export function createDeadLetterActions(options: {
  readonly storage: FindStorage & ExportStorage & RetryStartStorage;
  readonly clock: Clock;
  onDeliveriesDue(): void;
}): DeadLetterActions {
  const { storage } = options;
  const finder = createDeadLetterFinder(storage);
  const { count } = finder;
  return {
    async list(orgId, selection, page) {
      const { letters, next } = await finder.find(orgId, selection, page);
      return { letters: await finder.read(orgId, letters), next };
    },
    count,
    export: createDeadLetterExport(storage, finder),
    retry: createRetryStart({ ...options, count }),
  };
}
