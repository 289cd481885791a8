import type { EventState } from '../event/event.ts';
import type { FailedTry, RunOutcome, StepTally } from '../event/outcome.ts';
import type { PipelineEvent } from '../event/scope.ts';

/** Accepted events as work for the pipelines: claimed by a living node, settled with what became of them. */
export interface EventQueue {
  /** Takes what is due: parked runs and replays first, then events that were accepted, oldest first. */
  claimEvents(input: ClaimInput): Promise<ClaimedBatch>;
  /** One result per settlement, in order. */
  settleEvents(settlements: readonly Settlement[], at: number): Promise<SettleResult[]>;
  /** Takes over one event whose claim was freed unsettled, the least tried first. */
  claimSuspect(token: string): Promise<ClaimedEvent | null>;
  hasSuspects(): Promise<boolean>;
  /** Of these, the ids of those that are still claimed so: others were erased or freed meanwhile. */
  findBornClaimed(
    claims: readonly { readonly orgId: string; readonly id: string; readonly token: string }[],
  ): Promise<string[]>;
  /** Gives back what will not be done here, as if it had never been claimed. */
  releaseClaims(tokens: readonly string[], now: number): Promise<void>;
  /**
   * After the clock went back: makes due now what is parked for later than `latest`, or belongs to an event that was
   * received later than now. Answers how many.
   */
  bringParkedForward(latest: number, now: number, limit: number): Promise<number>;

  /** Oldest first; with `latest`, only so many of the last ones. */
  listRuns(orgId: string, eventId: string, latest?: number): Promise<StoredRun[]>;
  /** The runs of one event that wait to be tried again, or are being tried; null where there are none. */
  findRetry(orgId: string, eventId: string): Promise<readonly PlannedRun[] | null>;
  /** The first run of each event by each pipeline, as plans to do them again; none where it had no run. */
  listFirstRuns(
    orgId: string,
    eventIds: readonly string[],
  ): Promise<Readonly<Record<string, readonly PlannedRun[]>>>;

  /** For each key the event that settled it within its window, or null. */
  findDedupeKeys(
    keys: readonly { readonly orgId: string; readonly scope: string; readonly key: string }[],
    now: number,
  ): Promise<(string | null)[]>;

  findLabel(orgId: string, key: string): Promise<string | null>;
  /** The label, or the right to find it out until the lease ends, or the news that somebody else has that right. */
  claimLabel(
    orgId: string,
    key: string,
    lease: { readonly token: string; readonly now: number; readonly leaseMs: number },
  ): Promise<
    | { readonly kind: 'hit'; readonly label: string }
    | { readonly kind: 'claimed' }
    | { readonly kind: 'busy' }
  >;
  keepLabel(orgId: string, key: string, label: string, now: number): Promise<void>;
  /** Gives the right back, where it is still theirs who show this token. */
  releaseLabel(orgId: string, key: string, token: string): Promise<void>;
  recordLabelUse(
    uses: readonly {
      readonly orgId: string;
      readonly key: string;
      readonly hits: number;
      readonly at: number;
    }[],
  ): Promise<void>;
}

/** A run that is to be done. */
export interface PlannedRun {
  readonly pipelineId: string;
  /** Null: the version of the day. */
  readonly version: number | null;
  /** How often it was tried before. */
  readonly retries: number;
  readonly dueAt: number;
  /** The pipeline whose failure it is to resolve; it counts for nothing once that is resolved or discarded. */
  readonly retryOf?: string;
  /** Absent until a step asked for another try. */
  readonly stopped?: StoppedRun;
}

/** Where a run stopped that is to be tried again, and what each try came to. */
interface StoppedRun {
  readonly pipelineName: string;
  readonly version: number;
  readonly step: number;
  /** Of the last try. */
  readonly trace: string;
  readonly tries: readonly FailedTry[];
}

/** An event that nobody else works on as long as its node lives, and the claim is not settled. */
export interface ClaimedEvent {
  readonly orgId: string;
  readonly event: PipelineEvent;
  readonly payload: string;
  /** The webhook source it came through. */
  readonly sourceId: string | null;
  /** The replay it is part of. */
  readonly jobId: string | null;
  /** The runs to do; null: by all enabled pipelines that listen. */
  readonly plan: readonly PlannedRun[] | null;
  /** Whoever settles has to show it. */
  readonly token: string;
  /** Its own row says so since it was accepted, and no claim beside it. */
  readonly isBornClaimed?: true;
  /** How often it was claimed, this time included, without having been settled. */
  readonly tries: number;
}

export interface ClaimInput {
  readonly token: string;
  readonly now: number;
  readonly limit: number;
  /** About the size of all payloads together; a single event may be larger. */
  readonly bytes: number;
  /** Organisations take turns: begin with the one after this. */
  readonly after: string;
  /** Organisations that have enough under way. */
  readonly except: readonly string[];
}

export interface ClaimedBatch {
  readonly events: readonly ClaimedEvent[];
  /** The last organisation that had its turn. */
  readonly after: string;
}

/** What became of a claimed event. All of it is written in one step, with whatever it makes. */
export interface Settlement {
  readonly orgId: string;
  readonly eventId: string;
  readonly jobId: string | null;
  readonly token: string;
  readonly isBornClaimed?: true;
  /** The deliveries that are claimed from their first moment; absent: none is. */
  readonly claimedDeliveries?: DeliveryClaims;
  readonly runs: readonly SettledRun[];
  /** `later`: a retry or a replay, so that the event has runs already. */
  readonly round: 'first' | 'later';
  /** The runs that are to be tried again. */
  readonly parked: readonly PlannedRun[];
  /** The pipelines whose failures it is to resolve; absent where it retries none. */
  readonly retryOf?: readonly string[];
  /** The sdk sources that it belongs to; null where it came through a webhook. */
  readonly matchedSources: readonly { readonly id: string; readonly name: string }[] | null;
  readonly tallies: readonly TalliedStep[];
}

/** What a step asked of others, and did not have to ask. */
interface TalliedStep extends StepTally {
  readonly pipelineId: string;
  readonly version: number;
  readonly count: number;
}

/** What is told of an event that is settled. */
export type SettledEvent = Pick<
  Settlement,
  'orgId' | 'eventId' | 'round' | 'runs' | 'matchedSources' | 'tallies'
>;

export interface SettledRun {
  readonly id: string;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly version: number;
  /** Where the event came from, as the pipeline saw it; its deliveries say the same. */
  readonly sourceName: string | null;
  readonly outcome: RunOutcome['kind'];
  /** Where it ended; null where that was no step, or after the last one. */
  readonly step: number | null;
  readonly reason: string | null;
  readonly trace: string;
  /** JSON text of payload and labels as the last step left them; empty where there are no destinations. */
  readonly output: string;
  /** Of the event as it came: what the output has left as it was need not be kept a second time. */
  readonly payload: string;
  readonly notes: readonly RoutingNote[];
  readonly claims: readonly {
    readonly scope: string;
    readonly key: string;
    readonly expiresAt: number;
    readonly step: number;
  }[];
  /** Each gets a delivery. */
  readonly destinations: readonly string[];
  /** Of the whole run and then of each step that it came to, packed; storage has no use for it. */
  readonly durations?: string;
}

/** Why something did not go to a destination. */
export interface RoutingNote {
  readonly destination: string;
  readonly note: string;
}

export type SettleResult =
  | {
      readonly kind: 'settled';
      /** How many it made. */
      readonly deliveries: number;
      /** Those of them that are claimed already; absent where none is. */
      readonly claimed?: readonly MadeDelivery[];
      /** The state that the event has now; null where it still waits for a run. */
      readonly state: EventState | null;
      /** The state that it was in; absent where it had waited for its first. */
      readonly before?: EventState;
      /** It was counted with it, since the event came in so long ago: see `isLate`. */
      readonly isCounted?: true;
      /** How many dead deliveries were cancelled because it made them again; absent where none was. */
      readonly replayed?: number;
      /** The destinations that are gone, so that it made no delivery to them; absent where all are there. */
      readonly gone?: readonly string[];
      /** Its runs by pipelines that had run the event before; absent where each is the first. */
      readonly repeated?: readonly RepeatedRun[];
    }
  /** The claim was freed, and somebody else may have the event. Nothing was written. */
  | { readonly kind: 'refused' }
  /** It retries what failed in these, which was resolved or discarded meanwhile. Nothing was written. */
  | { readonly kind: 'needless'; readonly pipelineIds: readonly string[] }
  /** Another event has settled the key of one of its dedupe steps meanwhile. Nothing was written. */
  | { readonly kind: 'lost'; readonly pipelineId: string; readonly step: number; readonly first: string };

/** A run by a pipeline that had run the same event before: of several the latest counts. */
export interface RepeatedRun {
  readonly pipelineId: string;
  /** The run that counted until now; null where one that began later than this one has been settled already. */
  readonly inPlaceOf: Pick<SettledRun, 'outcome' | 'version' | 'step'> | null;
  /** How many steps of its version earlier runs came to. */
  readonly stepsBefore: number;
}

/** Deliveries that a settlement is to make as claimed, each as `deliveryClaimOf` names it. */
interface DeliveryClaims {
  readonly token: string;
  readonly claims: readonly string[];
}

export const deliveryClaimOf = (run: number, destinationId: string): string => `${run} ${destinationId}`;

/** A delivery that a settlement has made, by the position of its run. */
export interface MadeDelivery {
  readonly id: string;
  readonly run: number;
  readonly destinationId: string;
}

export interface StoredRun {
  readonly id: string;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly version: number;
  readonly outcome: RunOutcome['kind'];
  readonly step: number | null;
  readonly reason: string | null;
  readonly trace: string;
  readonly notes: readonly RoutingNote[];
  readonly jobId: string | null;
  readonly createdAt: number;
}
