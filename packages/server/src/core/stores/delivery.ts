import type { DeliveryState } from '@sluice/contract/dashboard-deliveries';

/** Deliveries as they are stored: their states, attempts and filters. */

/**
 * `held` is never written: it is what an open delivery of a paused destination is shown as. Likewise one whose
 * destination is gone is shown as cancelled before the sweep has come to it. So a pause takes no time, however
 * much is waiting.
 */
export type { DeliveryState };

export interface StoredDelivery {
  readonly id: string;
  readonly orgId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly runId: string;
  readonly pipeline: { readonly id: string; readonly name: string };
  readonly destination: { readonly id: string; readonly name: string; readonly kind: string };
  readonly state: DeliveryState;
  readonly attempt: number;
  /** Null once it has ended. */
  readonly nextAttemptAt: number | null;
  readonly code: string | null;
  /** Of the last attempt, where that failed and there was one. */
  readonly status: number | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  /** The delivery that a replay made in place of this one, which had died. */
  readonly replayedBy: string | null;
  /** Where it waits for a destination that is down, or was ended by that: since when, and when it was probed last. */
  readonly outage: { readonly downSince: number; readonly probedAt: number | null } | null;
}

/** The code of a dead delivery that a replay made again. */
export const REPLAYED = 'replayed';

export interface StoredAttempt {
  readonly n: number;
  readonly at: number;
  readonly durationMs: number;
  readonly status: number | null;
  /** Null where it was delivered. */
  readonly code: string | null;
  /** Why it failed, in a sentence. */
  readonly message: string | null;
  /** JSON text. */
  readonly request: string;
  readonly response: string;
  /** JSON text of an `Exchange`; absent where none is kept. */
  readonly exchange?: string;
}

export interface DeliveryFilter {
  readonly event?: string | undefined;
  readonly destination?: string | undefined;
  readonly pipeline?: string | undefined;
  /** `waiting`: pending or delivering. `open`: whatever has not ended. */
  readonly state?: DeliveryState | 'waiting' | 'open' | undefined;
  readonly code?: string | undefined;
  /** Of the last attempt, where that failed; null: there was none. What was delivered never matches. */
  readonly status?: number | null | undefined;
  readonly ids?: readonly string[] | undefined;
  /** When they ended, at the latest. */
  readonly endedBy?: number | undefined;
  /** When they were made, exclusive. */
  readonly madeAfter?: number | undefined;
  readonly madeBefore?: number | undefined;
}
