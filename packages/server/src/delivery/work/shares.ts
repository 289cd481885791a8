import type { Claim, Lane } from './destination-queue.ts';

/** The most that is sent at once, all destinations together, as far as fairness allows to say no. */
const MOST_AT_ONCE = 2_000;
/** What nobody is denied, however many others there are. */
const LEAST_AT_ONCE = 4;
/** Of all that is claimed, by its size, since it is in memory until it is finished. Beyond it each has one at a time. */
const MOST_BYTES = 128 * 1024 * 1024;
const LEAST_BYTES = 256 * 1024;

/**
 * What destinations have a share of. Organisations share what there is, and within each its destinations do. A share is
 * always reckoned as if one more were about to come, so that whoever comes next finds room although everybody else
 * hangs, however large their deliveries are.
 */
export interface Shares {
  opened(lane: Lane): void;
  closed(lane: Lane): void;
  /** How many may be on their way there at once: as many as it takes, within its share. */
  atOnce(lane: Lane): number;
  /** How much more may be claimed for it, when so much was promised to others; not always more than nothing. */
  bytesFor(lane: Lane, promised: number): number;
  claimed(claim: Claim): void;
  finished(claim: Claim): void;
}

export function createShares(): Shares {
  const lanesOf = new Map<string, number>();
  let held = 0;

  function count({ stored: { orgId } }: Lane, more: 1 | -1): void {
    const lanes = (lanesOf.get(orgId) ?? 0) + more;
    if (lanes > 0) lanesOf.set(orgId, lanes);
    else lanesOf.delete(orgId);
  }

  function shareOf(most: number, least: number, { stored: { orgId } }: Lane): number {
    const ofOrganisation = most / (lanesOf.size + 1);
    return Math.max(least, Math.floor(ofOrganisation / ((lanesOf.get(orgId) ?? 0) + 1)));
  }

  function hold({ lane, delivery }: Claim, sign: 1 | -1): void {
    held += sign * delivery.output.length;
    lane.held += sign * delivery.output.length;
  }

  return {
    opened: lane => count(lane, 1),
    closed: lane => count(lane, -1),
    atOnce: lane => Math.min(lane.stored.policy.concurrency, shareOf(MOST_AT_ONCE, LEAST_AT_ONCE, lane)),
    bytesFor: (lane, promised) =>
      Math.min(MOST_BYTES - held - promised, shareOf(MOST_BYTES, LEAST_BYTES, lane) - lane.held),
    claimed: claim => hold(claim, 1),
    finished: claim => hold(claim, -1),
  };
}
