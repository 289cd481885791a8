import type { DeliveryPolicy } from '@sluice/contract/dashboard-deliveries';

export interface StoredDestination {
  readonly id: string;
  readonly orgId: string;
  readonly kind: string;
  readonly name: string;
  /** JSON text of the configuration, its secrets sealed. */
  readonly config: string;
  readonly policy: DeliveryPolicy;
  /** Oldest first: what waited when one was changed keeps the longer of both schedules. */
  readonly formerPolicies: readonly FormerPolicy[];
  readonly paused: boolean;
  /** Null while it is closed. */
  readonly breaker: StoredBreaker | null;
  /** The connection of its listener, which begins with the node that holds it; null where none is connected. */
  readonly listenerToken: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A destination, and whose it is. */
export type DestinationAddress = Pick<StoredDestination, 'orgId' | 'id'>;

/** The last attempt at a destination that failed. */
export interface LastError extends DestinationAddress {
  readonly at: number;
  /** What came back, in a sentence. */
  readonly message: string;
}

/** The part of a policy that says how often and for how long something is tried, and until when that held. */
export interface FormerPolicy extends Pick<DeliveryPolicy, 'attempts' | 'schedule_s' | 'timeout_s'> {
  readonly until: number;
}

/** The breaker of a destination that is down, as all nodes know it. */
export interface StoredBreaker {
  readonly openedAt: number;
  readonly nextProbeAt: number;
  /** Until when somebody has the probe that is under way. */
  readonly probeUntil: number | null;
  /** When the last probe that failed had left. */
  readonly lastProbeAt: number | null;
  /** When that one was answered. */
  readonly probeEndedAt: number | null;
  /** What came back last, in a sentence. */
  readonly lastFailure: string | null;
}

/** A probe that nobody else may send until then, at most: as long as the node of its token lives. */
export interface Probe {
  readonly token: string;
  readonly until: number;
  /** When it was taken, or before. */
  readonly leftAt: number;
}

/** How a probe has ended. One that was not sent leaves everything as it was. */
export type ProbeEnd =
  | { readonly kind: 'not_sent' }
  | {
      readonly kind: 'failed';
      readonly leftAt: number;
      readonly endedAt: number;
      readonly nextProbeAt: number;
      readonly failure: string;
    };

/** Where events go, and how well each destination is. */
export interface DestinationStore {
  createDestination(destination: StoredDestination): Promise<void>;
  listDestinations(orgId: string): Promise<StoredDestination[]>;
  findDestination(orgId: string, id: string): Promise<StoredDestination | null>;
  /**
   * One that goes on after a pause is tried at once, also where it was down. A policy that is changed stays among the
   * former ones while anything is open there.
   */
  updateDestination(
    orgId: string,
    id: string,
    change: Partial<Pick<StoredDestination, 'name' | 'config' | 'policy' | 'paused'>>,
    at: number,
  ): Promise<boolean>;
  /** Takes it out of its pipelines, each in a new version. Its open deliveries are cancelled from then on. */
  deleteDestination(orgId: string, id: string, by: string, at: number): Promise<boolean>;

  /** The latest of each destination since the last record. What is gone is left out. */
  recordLastErrors(errors: readonly LastError[]): Promise<void>;
  /** Of the destinations of an organisation that ever had one. */
  listLastErrors(orgId: string): Promise<LastError[]>;

  /**
   * A listener has connected, in place of the one before it. What waited has not been waiting for a destination that is
   * down: as after a pause, it is tried at once. False where the destination is gone.
   */
  beginListening(orgId: string, id: string, token: string, at: number): Promise<boolean>;
  /** That connection is over; nothing, where another has taken its place. */
  endListening(orgId: string, id: string, token: string): Promise<boolean>;

  /** Answers the breaker as it is then: where somebody else has opened it before, theirs. */
  openBreaker(
    orgId: string,
    id: string,
    opened: Pick<StoredBreaker, 'openedAt' | 'nextProbeAt'> & { readonly failure: string },
  ): Promise<StoredBreaker | null>;
  /** False where it was closed. */
  closeBreaker(orgId: string, id: string): Promise<boolean>;
  /**
   * Takes the next probe, where it is due and nobody has one under way. It is due at its moment; or at once, where
   * what is due first has become due after the last one was answered: nothing has waited since.
   */
  takeProbe(
    orgId: string,
    id: string,
    probe: Pick<Probe, 'token' | 'until'> & { readonly now: number; readonly firstDueAt: number },
  ): Promise<{ readonly isTaken: boolean; readonly breaker: StoredBreaker | null }>;
  /** Ends the probe that was taken so; nothing, where somebody else has one by now. */
  endProbe(orgId: string, id: string, token: string, end: ProbeEnd): Promise<void>;
  /** Makes the next probe due now. False where the breaker is closed, what waits is held, or a probe is under way. */
  hastenProbe(orgId: string, id: string, at: number): Promise<boolean>;
  /** After the clock went back: makes due now what is due later than it can be, and frees what is taken for longer. */
  bringProbesForward(latest: {
    readonly now: number;
    readonly nextProbeAt: number;
    readonly probeUntil: number;
  }): Promise<void>;
}
