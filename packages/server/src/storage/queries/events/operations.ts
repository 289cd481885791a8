import type { EventQueue } from '../../../core/stores/event-queue.ts';
import { read, type StoreOperations, snapshot, write } from '../../operation.ts';
import * as claims from './claims.ts';
import { findDedupeKeys } from './dedupe.ts';
import * as labels from './labels.ts';
import * as runs from './runs.ts';

/** Events as work for the pipelines; claiming and settling are each engine's own. */
export const eventOperations: StoreOperations<EventQueue, 'claimEvents' | 'settleEvents'> = {
  claimSuspect: write(claims.claimSuspect),
  hasSuspects: read(claims.hasSuspects),
  releaseClaims: write(claims.releaseClaims),
  bringParkedForward: write(claims.bringParkedForward),
  findBornClaimed: read(claims.findBornClaimed),

  listRuns: snapshot(runs.listRuns),
  findRetry: read(runs.findRetry),
  listFirstRuns: read(runs.listFirstRuns),

  // Keys need not agree with each other: settling decides about each.
  findDedupeKeys: read(findDedupeKeys),

  findLabel: read(labels.findLabel),
  claimLabel: write(labels.claimLabel),
  keepLabel: write(labels.keepLabel),
  releaseLabel: write(labels.releaseLabel),
  recordLabelUse: write(labels.recordLabelUse),
};
