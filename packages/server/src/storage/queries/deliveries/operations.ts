import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import { read, type StoreOperations, snapshot, write } from '../../operation.ts';
import * as deadLetters from './dead-letters.ts';
import * as deliveries from './deliveries.ts';
import * as ends from './delivery-ends.ts';
import { listErrorGroups } from './error-groups.ts';
import { findLastEnds } from './last-ends.ts';
import { findLastMessages } from './latest.ts';
import * as waiting from './waiting-deliveries.ts';

/** Deliveries, attempts and dead letters; claiming and recording attempts are each engine's own. */
export const deliveryOperations: StoreOperations<DeliveryQueue, 'claimDeliveries' | 'recordAttempts'> = {
  listWaitingDestinations: read(deliveries.listWaitingDestinations),
  releaseDeliveries: write(deliveries.releaseDeliveries),
  findClaimed: read(deliveries.findClaimed),
  listWaiting: read(waiting.listWaiting),
  readBacklogOf: snapshot(waiting.readBacklogOf),
  expireDeliveries: write(ends.expireDeliveries),
  bringForward: write(ends.bringForward),
  hastenFirst: write(ends.hastenFirst),
  cancelOrphans: write(ends.cancelOrphans),

  listDeliveries: snapshot(deliveries.listDeliveries),
  findDelivery: read(deliveries.findDelivery),
  findOutput: read(deliveries.findOutput),
  listAttempts: snapshot(deliveries.listAttempts),
  retryDelivery: write(ends.retryDelivery),
  discardDelivery: write(ends.discardDelivery),
  countDeliveries: snapshot(deliveries.countDeliveries),

  listFailedEvents: read(deadLetters.listFailedEvents),
  countFailedEvents: read(deadLetters.countFailedEvents),
  listFailures: read(deadLetters.listFailures),
  discardFailedEvent: write(deadLetters.discardFailedEvent),
  listDeadGroups: snapshot(deadLetters.listDeadGroups),
  countDeadByRoute: read(deadLetters.countDeadByRoute),
  listFailedGroups: read(deadLetters.listFailedGroups),
  countFailedInEach: read(deadLetters.countFailedInEach),
  listErrorGroups: snapshot(listErrorGroups),
  findLastMessages: read(findLastMessages),
  findLastEnds: snapshot(findLastEnds),
};
