import type { Invariant } from './evidence.ts';

export const backlogDrains: Invariant = {
  name: 'drained',
  promise: 'When the faults are over, the backlog drains by itself.',
  broken: ({ logs }) => {
    const backlogs = logs.final.flatMap(line => (line.kind === 'backlog' ? [line] : []));
    if (backlogs.length === 0) return ['Nobody looked at what is left.'];
    return backlogs.flatMap(({ organisation, waiting }) =>
      Object.entries(waiting)
        .filter(([, count]) => count > 0)
        .map(([what, count]) => `${organisation} has ${count} left that are ${what}.`),
    );
  },
};
