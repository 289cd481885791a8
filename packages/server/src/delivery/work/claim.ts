import type { Probe } from '../../core/stores/configuration/destinations.ts';
import type { ClaimedDelivery } from '../../core/stores/delivery-queue.ts';

/** A claimed delivery, which is ours as long as this node lives. Only its queue changes it. */
export interface Claim {
  readonly delivery: ClaimedDelivery;
  readonly token: string;
  /** When it was begun; never, where it waits. */
  readonly beganAt: number;
  readonly state: 'waiting' | 'sending' | 'answered' | 'over';
  /** When it was last known to be ours, and how many withdrawals were known of by then. */
  readonly knownAt: number;
  readonly withdrawals: number;
  /** It was made here and never claimed from storage. */
  readonly isHandedOver: boolean;
  /** The probe that it goes out as. */
  readonly probe: Probe | null;
}

/** A claim as it enters its queue. */
export const waitingClaim = (
  delivery: ClaimedDelivery,
  { token, knownAt }: ClaimGrant,
  how: Pick<Claim, 'withdrawals' | 'isHandedOver' | 'probe'>,
): OwnClaim => ({
  delivery,
  token,
  knownAt,
  ...how,
  state: 'waiting',
  beganAt: Number.POSITIVE_INFINITY,
});

/** What deliveries are claimed under. */
export interface ClaimGrant {
  readonly token: string;
  /** When they were claimed, or before. */
  readonly knownAt: number;
}

/** Claims that may be ours no more, and what is known where they are. */
export interface ClaimCheck {
  readonly claims: readonly Claim[];
  readonly knownAt: number;
  readonly withdrawals: number;
}

/** A claim as its queue sees it. */
export type OwnClaim = { -readonly [Field in keyof Claim]: Claim[Field] };
