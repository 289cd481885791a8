import type { EventOutcome } from '@sluice/contract/dashboard-events';
import type { EventState, NewEvent, StoredEvent } from '../event/event.ts';
import type { Excerpt } from '../event/excerpt.ts';
import type { Fate } from '../event/fate.ts';
import type { Settlement } from './event-queue.ts';

/** Events as they were accepted: what a 202 promises to keep, and how they are found again. */
export interface Journal {
  /** Resolves once all of it is on stable storage. One result per request, in order. */
  append(requests: readonly AppendRequest[]): Promise<AppendResult[]>;
  /** The ids of the events that came under this idempotency key, while it counts. */
  findEventsOfKey(scope: string, key: string, now: number): Promise<string[] | null>;
  listEvents(
    orgId: string,
    filter: EventFilter,
    page: { limit: number; below: string | null; budgetMs: number },
  ): Promise<EventPage>;
  /** When the newest `most` that match came in, newest first. Looks at a bounded number of events. */
  listEventTimes(
    orgId: string,
    filter: EventFilter,
    bounds: { readonly most: number; readonly budgetMs: number },
  ): Promise<EventTimes>;
  /** The types of the `latest` events, the most frequent first. */
  listEventTypes(
    orgId: string,
    bounds: { readonly latest: number; readonly most: number },
  ): Promise<readonly { readonly type: string; readonly count: number }[]>;
  /**
   * By id, of the first of them: as many as have `mostBytes` together, and one at least. `covered` says how many were
   * looked at; what is gone meanwhile is not among the payloads.
   */
  readPayloads(
    orgId: string,
    ids: readonly string[],
    mostBytes: number,
  ): Promise<{ readonly payloads: Readonly<Record<string, string>>; readonly covered: number }>;
  /**
   * A piece of each payload, by id: what stands around this text, or the beginning; an ellipsis alone where the payloads of
   * those before it are too large together.
   */
  excerptPayloads(
    orgId: string,
    ids: readonly string[],
    text: string | undefined,
  ): Promise<Readonly<Record<string, Excerpt>>>;
  findEvent(
    orgId: string,
    id: string,
  ): Promise<
    | (ListedEvent & {
        readonly payload: string;
        readonly erasedAt: number | null;
        readonly headers?: string;
      })
    | null
  >;
  /** Of these, those that are there, newest first. */
  findEvents(orgId: string, ids: readonly string[]): Promise<readonly ListedEvent[]>;
  /**
   * Looks at the next `limit` events after `after`, oldest first, and removes those that are past their time with all
   * that became of them. What has not been processed stays, and what has a delivery that is still open. Answers
   * where to go on; null at the end.
   */
  pruneEvents(
    orgId: string,
    cutoffs: PruneCutoffs,
    slice: { readonly after: string | null; readonly limit: number },
  ): Promise<{ readonly removed: number; readonly next: string | null }>;
}

export interface AppendRequest {
  readonly orgId: string;
  /** The webhook source it came through; null at `/v1/ingest`. */
  readonly sourceId: string | null;
  readonly receivedAt: number;
  readonly events: readonly NewEvent[];
  readonly idempotency: IdempotencyClaim | null;
  /** What is new of it is claimed so from its first moment; absent: whoever comes first may claim it. */
  readonly claimToken?: string;
  /** No pipeline listens to any of it: what is new of it has its last state from its first moment. */
  readonly unrouted?: Unrouted;
}

export interface Unrouted {
  /** The sdk sources that each of its events matches; null where it came through a webhook source. */
  readonly matchedSources: readonly Settlement['matchedSources'][];
}

export interface IdempotencyClaim {
  /** The organisation at `/v1/ingest`, the source at `/whk`. */
  readonly scope: string;
  readonly key: string;
  /** Digest of the body, where another body under the same key is a conflict; null where it is not. */
  readonly bodyHash: string | null;
  readonly expiresAt: number;
}

/** What became of each event of a request, in its order. */
export type StoredEvents = readonly { readonly id: string; readonly duplicate: boolean }[];

export type AppendResult =
  | { readonly kind: 'stored'; readonly events: StoredEvents }
  | { readonly kind: 'conflict' };

export interface EventFilter {
  readonly state?: EventState | undefined;
  readonly outcome?: EventOutcome | undefined;
  readonly source?: string | undefined;
  readonly type?: string | undefined;
  /** Has a run by this pipeline, or a delivery to this destination. */
  readonly pipeline?: string | undefined;
  readonly destination?: string | undefined;
  readonly entity?: { readonly kind: string; readonly externalId: string } | undefined;
  readonly text?: string | undefined;
  /** Received after / before, exclusive. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}

/** An event with what became of it. */
export type ListedEvent = StoredEvent & Fate;

export interface EventPage {
  readonly events: readonly ListedEvent[];
  /** Go on below this id; null at the end. */
  readonly next: string | null;
  /** How far back the search has come when its time was up before the page was full. */
  readonly searchedTo: number | null;
}

interface EventTimes {
  readonly times: readonly number[];
  /** There are more than `most`. */
  readonly more: boolean;
  /** How far back it came, where its bounds ended it; null: it found enough, or all. */
  readonly searchedTo: number | null;
  /** When the oldest event of the organisation came in, whether it matches or not. */
  readonly oldest: number | null;
}

export interface PruneCutoffs {
  /** What was received before goes. */
  readonly before: number;
  /** Where it failed, or a delivery of it is dead, this counts: when it was received, or when that died. */
  readonly deadBefore: number;
}
