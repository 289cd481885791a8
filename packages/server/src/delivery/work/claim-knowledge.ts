import { type Clock, seconds } from '../../core/clock.ts';
import type { Claim, ClaimCheck, OwnClaim } from './claim.ts';

/** What has waited for this long may have been withdrawn on another node, or freed because this one was away. */
const KNOWN_FOR_MS = seconds(1);

/**
 * Which claims of a queue are known to be ours: for a while after each was last looked up, and until deliveries of the
 * organisation are withdrawn.
 */
interface ClaimKnowledge {
  /** How many withdrawals are known of: what is claimed or promised now is known as of these. */
  readonly withdrawals: number;
  withdraw(): void;
  isKnown(claim: Claim, now: number): boolean;
  /** Nothing was withdrawn since it was last known to be ours. */
  isUndisturbed(claim: Claim): boolean;
  checkOf(claims: readonly Claim[]): ClaimCheck;
  /** Ends a check with those that are still ours. Answers those that are not, and wait. */
  checked(check: ClaimCheck, ours: ReadonlySet<string>): ReadonlySet<Claim>;
}

export function createClaimKnowledge(clock: Clock): ClaimKnowledge {
  let withdrawals = 0;
  const isUndisturbed = (claim: Claim): boolean => claim.withdrawals === withdrawals;
  return {
    get withdrawals() {
      return withdrawals;
    },
    withdraw() {
      withdrawals++;
    },
    isUndisturbed,
    isKnown: (claim, now) => isUndisturbed(claim) && now - claim.knownAt < KNOWN_FOR_MS,
    checkOf: claims => ({ claims, knownAt: clock.now(), withdrawals }),
    checked(check, ours) {
      const gone = new Set<Claim>();
      for (const claim of check.claims as readonly OwnClaim[]) {
        if (ours.has(claim.delivery.id)) {
          claim.knownAt = check.knownAt;
          claim.withdrawals = check.withdrawals;
        } else if (claim.state === 'waiting') {
          gone.add(claim);
        }
      }
      return gone;
    },
  };
}
