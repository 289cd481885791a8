import type { DeliveryFilter } from './delivery.ts';

/** What storage knows of dead letters as a whole: dead deliveries are found by `listDeliveries`, failed events here. */
export interface DeadLetterStore {
  /** The events of which some pipeline's latest run failed, newest first: others may have routed them. */
  listFailedEvents(
    orgId: string,
    page: FailedEventFilter & { readonly limit: number; readonly below: string | null },
  ): Promise<string[]>;
  /** Counts no further than `most`. */
  countFailedEvents(orgId: string, filter: FailedEventFilter, most?: number): Promise<number>;
  /** Of these events the latest run of each pipeline, where it failed. */
  listFailures(orgId: string, eventIds: readonly string[]): Promise<StoredFailure[]>;
  /** Its failures are left at that: the event stays what it is, and is no dead letter any more. False: it was none. */
  discardFailedEvent(orgId: string, eventId: string): Promise<boolean>;
  /** How many deliveries died, by where they were going, code and status, among the latest `most` that match. */
  listDeadGroups(orgId: string, filter: Omit<DeliveryFilter, 'state'>, most: number): Promise<DeadGroup[]>;
  /** How many deliveries died, by the pipeline that made them and where they were going, among the same; and whether there are more. */
  countDeadByRoute(
    orgId: string,
    filter: Omit<DeliveryFilter, 'state'>,
    most: number,
  ): Promise<{ readonly counts: readonly DeadRoute[]; readonly more: boolean }>;
  /** How many events failed, by pipeline, step and reason, among the latest `most` failures that match. */
  listFailedGroups(orgId: string, filter: FailedEventFilter, most: number): Promise<FailedGroup[]>;
  /**
   * How many events failed in each pipeline, by version and step, among the latest `most` failures that match, and whether
   * there are more.
   */
  countFailedInEach(
    orgId: string,
    filter: FailedEventFilter,
    most: number,
  ): Promise<{ readonly counts: readonly FailedAt[]; readonly more: boolean }>;
}

interface FailedAt {
  readonly pipelineId: string;
  readonly version: number;
  /** Null: at no step. */
  readonly step: number | null;
  readonly count: number;
}

/** Which failures of an event, of which it may have one in each pipeline. */
export interface FailureFilter {
  readonly pipeline?: string | undefined;
  /** Where the latest run of a pipeline failed; null: at no step. */
  readonly step?: number | null | undefined;
  readonly reason?: string | undefined;
  /** When that run ended, at the latest. */
  readonly endedBy?: number | undefined;
}

export interface FailedEventFilter extends FailureFilter {
  readonly event?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  /** When the event came in, exclusive. */
  readonly receivedAfter?: number | undefined;
  readonly receivedBefore?: number | undefined;
}

interface DeadRoute {
  readonly pipelineId: string;
  readonly destinationId: string;
  readonly count: number;
}

export interface StoredFailure {
  readonly eventId: string;
  readonly eventType: string;
  readonly eventState: string;
  readonly receivedAt: number;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly version: number;
  readonly step: number | null;
  readonly reason: string | null;
}

interface DeadGroup {
  readonly destination: { readonly id: string; readonly name: string; readonly kind: string };
  readonly code: string | null;
  readonly status: number | null;
  readonly count: number;
  /** The start of what came back last, or else why nothing did. */
  readonly message: string | null;
}

interface FailedGroup {
  readonly pipeline: { readonly id: string; readonly name: string };
  readonly step: number | null;
  readonly reason: string | null;
  readonly count: number;
}
