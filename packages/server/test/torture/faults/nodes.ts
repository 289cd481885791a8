import type { Fault } from './fault.ts';

/** Nodes that are killed, asked to stop, or stopped in their tracks. All are started again as soon as they have ended. */
export const kill: Fault = async ({ fleet }, { node }) =>
  fleet.signal(node, 'SIGKILL') ? `node ${node}` : null;

export const terminate: Fault = async ({ fleet }, { node }) =>
  fleet.signal(node, 'SIGTERM') ? `node ${node}` : null;

export const freeze: Fault = async ({ fleet }, { node, forMs }) => {
  if (!fleet.signal(node, 'SIGSTOP')) return null;
  await Bun.sleep(forMs);
  // Another fault may have ended it meanwhile: then whoever came after it does not mind.
  fleet.signal(node, 'SIGCONT');
  return `node ${node} for ${forMs} ms`;
};
