import type { PipelineEvent } from '../event/scope.ts';
import type { FailureCode } from '../http/outgoing.ts';
import type { Audited } from './configuration/audit.ts';
import type { DeadLetterStore } from './dead-letters.ts';
import type { DeliveryFilter, StoredAttempt, StoredDelivery } from './delivery.ts';
import type { DeliveryErrorStore } from './delivery-errors.ts';

/** Deliveries as work for the senders: claimed by a living node, with every attempt and how each ended. */
export interface DeliveryQueue
  extends DeadLetterStore,
    DeliveryErrorStore,
    Audited<Pick<DeliveryQueue, 'retryDelivery' | 'discardDelivery' | 'discardFailedEvent'>> {
  /** Destinations that have something waiting, with when the first of it is due. */
  listWaitingDestinations(): Promise<WaitingDestination[]>;
  claimDeliveries(
    inputs: readonly DeliveryClaimInput[],
    claim: { readonly token: string; readonly now: number },
  ): Promise<ClaimedDelivery[]>;
  /**
   * Answers the positions of those that were refused, since their claim was freed: another result of the same delivery
   * may stand beside one, under the claim that holds.
   */
  recordAttempts(records: readonly EndedAttempt[]): Promise<number[]>;
  /** Gives back what was not attempted. */
  releaseDeliveries(claims: readonly DeliveryClaim[], at: number): Promise<void>;
  /** Of these, the ids of those that are still claimed so: others were discarded, erased or freed meanwhile. */
  findClaimed(claims: readonly DeliveryClaim[]): Promise<string[]>;
  /** What is due at a destination, the longest due first; goes on after the one that is given. */
  listWaiting(
    orgId: string,
    destinationId: string,
    page: { readonly dueBy: number; readonly after: WaitingDelivery | null; readonly limit: number },
  ): Promise<WaitingDelivery[]>;
  /** How much waits at a destination, counted up to `most`, and when the first of it is due. */
  readBacklogOf(
    orgId: string,
    destinationId: string,
    most: number,
  ): Promise<{ readonly waiting: number; readonly firstDueAt: number | null }>;
  /**
   * Gives up these, which wait for a destination that is down; none of them where it was closed, paused or changed
   * since it was read. Answers how many.
   */
  expireDeliveries(
    destination: { readonly orgId: string; readonly id: string; readonly asOf: number },
    ids: readonly string[],
    outage: { readonly downSince: number; readonly probedAt: number },
    at: number,
  ): Promise<number>;
  /** Makes due now what is due later than it can be, unless the clock has gone back. */
  bringForward(
    orgId: string,
    destinationId: string,
    latest: { readonly pending: number; readonly retrying: number },
    at: number,
    limit: number,
  ): Promise<number>;
  /**
   * Makes due now the first of what waits for a destination that is down, so that it can be the probe. It is given up no
   * sooner for that: it counts as waiting from when it was due. False where the first is due already, nothing waits or it is held, or a
   * probe is under way.
   */
  hastenFirst(orgId: string, destinationId: string, at: number): Promise<boolean>;
  /** Cancels what waits for a destination that is gone. */
  cancelOrphans(at: number, limit: number): Promise<number>;

  /** Newest first. */
  listDeliveries(
    orgId: string,
    filter: DeliveryFilter,
    page: { readonly limit: number; readonly below: string | null },
  ): Promise<StoredDelivery[]>;
  findDelivery(orgId: string, id: string): Promise<StoredDelivery | null>;
  /** What a pipeline made of this event for this destination the last time, as JSON text; null where it never went there. */
  findOutput(
    orgId: string,
    eventId: string,
    destinationId: string,
  ): Promise<{ readonly output: string; readonly sourceName: string | null } | null>;
  /** Oldest first; with `latest`, only so many of the last ones. */
  listAttempts(orgId: string, deliveryId: string, latest?: number): Promise<StoredAttempt[]>;
  /** A dead delivery gets a fresh budget; its attempts count on. */
  retryDelivery(orgId: string, id: string, at: number): Promise<boolean>;
  /** An open or dead delivery is cancelled. */
  discardDelivery(orgId: string, id: string, at: number): Promise<boolean>;
  /** Counts no further than `most`. */
  countDeliveries(orgId: string, filter: DeliveryFilter, most?: number): Promise<number>;
}

/** What is wanted of one destination: at most so many of what is due there, and so much, but one in any case. */
export interface DeliveryClaimInput {
  readonly orgId: string;
  readonly destinationId: string;
  readonly limit: number;
  /** Of their outputs together. */
  readonly bytes: number;
}

/** A delivery on which somebody decides whether it may wait on. */
export interface WaitingDelivery {
  readonly id: string;
  readonly dueAt: number;
  /** Since when it has been due; neither failed probes nor being brought forward for one change that. */
  readonly waitingFrom: number;
  readonly attemptsMade: number;
  readonly budgetAt: number;
}

interface WaitingDestination {
  readonly orgId: string;
  readonly destinationId: string;
  readonly dueAt: number;
  /** It is paused, or waits for its listener to connect. */
  readonly isHeld: boolean;
}

/** A delivery that nobody else attempts as long as its node lives. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly orgId: string;
  readonly destinationId: string;
  readonly event: PipelineEvent;
  /** JSON text of payload and labels, as the pipeline left them. */
  readonly output: string;
  readonly sourceName: string | null;
  /** Whether somebody had its event run again. */
  readonly isReplay: boolean;
  /** Attempts made so far. */
  readonly attempt: number;
  /** Those of them that are none of its present budget: an earlier one paid for them, or they were probes. */
  readonly budgetFrom: number;
  /** Since when its present budget runs. */
  readonly budgetAt: number;
  /** Whether somebody retried it after it was dead. */
  readonly isRetried: boolean;
  readonly dueAt: number;
}

interface DeliveryClaim {
  readonly orgId: string;
  readonly id: string;
  readonly token: string;
}

/** How an attempt ended and what becomes of its delivery. */
export interface EndedAttempt {
  readonly orgId: string;
  readonly deliveryId: string;
  readonly token: string;
  readonly attempt: StoredAttempt;
  /** What its request may repeat, and need not be kept a second time; absent: it is kept as it is. */
  readonly repeats?: { readonly eventId: string; readonly eventType: string; readonly output: string };
  readonly next:
    | {
        readonly state: 'delivered';
        /** Its destination, where it took so long that it is counted together with its result: see `isLate`. */
        readonly lateAt?: string;
      }
    | {
        readonly state: 'retrying';
        readonly dueAt: number;
        /** It went out as a probe: the attempt is on record, and is not one of its budget. */
        readonly isUnspent?: true;
      }
    | { readonly state: 'dead'; readonly code: FailureCode };
}
