import type { UpkeepStore } from '../core/stores/upkeep.ts';
import type { Foundation } from './foundation.ts';

/** The nodes that share the work, as the last heartbeat found them; this one alone before the first. */
export interface Nodes {
  heartbeat(): Promise<void>;
  leave(): Promise<void>;
  count(): number;
  /** At least 1: whoever asks has the role. */
  withRole(role: string): number;
}

export function createNodes(
  { settings, clock }: Foundation,
  upkeep: Pick<UpkeepStore, 'heartbeat' | 'leave'>,
  nodeId: string,
): Nodes {
  const roles = settings.SLUICE_ROLES;
  let alive: readonly (readonly string[])[] = [roles];
  return {
    async heartbeat() {
      alive = await upkeep.heartbeat({ id: nodeId, roles }, clock.now());
    },
    leave: () => upkeep.leave(nodeId),
    count: () => alive.length,
    withRole: role => Math.max(1, alive.filter(of => of.includes(role)).length),
  };
}
