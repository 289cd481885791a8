import type { Fault, World } from './fault.ts';

/** Nodes that are killed, asked to stop, or stopped in their tracks. All are started again as soon as they have ended. */
export const kill: Fault = async ({ fleet }, { node }) =>
  fleet.signal(node, 'SIGKILL') ? `node ${node}` : null;

const STARTS_WITHIN_MS = 30_000;

/** Some faults are few in a run, and none is lost because its node was just starting. */
export async function onceItServes(
  { fleet, files }: World,
  node: number,
  signal: NodeJS.Signals,
): Promise<boolean> {
  const deadline = files.now() + STARTS_WITHIN_MS;
  while (!fleet.signal(node, signal)) {
    if (files.now() > deadline) return false;
    await Bun.sleep(50);
  }
  return true;
}

export const terminate: Fault = async (world, { node }) =>
  (await onceItServes(world, node, 'SIGTERM')) ? `node ${node}` : null;

export const freeze: Fault = async (world, { node, forMs, at }) => {
  const { fleet } = world;
  if (!(await onceItServes(world, node, 'SIGSTOP'))) return null;
  // It begins now, and not when somebody first looked for the node.
  return world.inTurn(`freeze at ${at}`, async () => {
    await Bun.sleep(forMs);
    // Another fault may have ended it meanwhile: then whoever came after it does not mind.
    fleet.signal(node, 'SIGCONT');
    return `node ${node} for ${forMs} ms`;
  });
};
