import { seconds } from '../clock.ts';
import type { ClaimTokens } from '../stores/upkeep.ts';

/**
 * What a node knows of its own life. Claims belong to it as long as it lives: it is heard of every few seconds, and dead
 * when it was not for three times as long. Whoever was away for that long comes back as another node, with a new id:
 * every token begins with the id of its node, so that what a dead one had claimed is found, and is never mistaken for
 * anything of a living one.
 */
export interface Membership {
  /** A token for the next claim; null while this process is none of the living nodes, and must not claim anything. */
  newToken(): string | null;
}

/** Somebody who claims work in the name of this node. */
export interface ClaimHolder {
  /** Of all that it has claimed or is about to claim, and is not through with. */
  heldTokens(): readonly string[];
  /** The node is dead: what was claimed and is not begun belongs to others. */
  dropClaims(): void;
}

export const HEARTBEAT_EVERY_MS = seconds(5);
/** A node that was not heard of for this long is dead, and what it had claimed is free. */
export const NODE_SILENCE_MS = 3 * HEARTBEAT_EVERY_MS;

/** The first edition had tokens that name no node. Nobody of it is alive. */
const nodeOf = (token: string): string => token.split(' ', 1)[0] ?? '';

/**
 * Of all that is claimed, what nobody has any more: its node is dead, or it is this one and does not know of it, since
 * the answer to its claim was lost, or its result could not be written. Jobs and labels have leases against that.
 */
export function findStrays(
  claims: ClaimTokens & { readonly nodes: readonly string[] },
  nodeId: string,
  held: ReadonlySet<string>,
): ClaimTokens {
  const { events, deliveries, probes, listeners, jobs, labels, nodes } = claims;
  const alive = new Set(nodes);
  const isOfTheDead = (token: string) => !alive.has(nodeOf(token));
  const isStray = (token: string) => isOfTheDead(token) || (nodeOf(token) === nodeId && !held.has(token));
  return {
    events: events.filter(isStray),
    deliveries: deliveries.filter(isStray),
    probes: probes.filter(isStray),
    listeners: listeners.filter(isStray),
    jobs: jobs.filter(isOfTheDead),
    labels: labels.filter(isOfTheDead),
  };
}
