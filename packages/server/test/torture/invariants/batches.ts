import type { Invariant } from './evidence.ts';

export const allOrNone: Invariant = {
  name: 'batches',
  promise: 'A batch is stored whole or not at all.',
  broken: ({ requests, eventsByType, living }) =>
    requests
      .filter(({ sent }) => living.has(sent.organisation))
      .flatMap(({ sent }) => {
        const stored = sent.events.filter(({ type }) => eventsByType.has(type)).length;
        return stored === 0 || stored === sent.events.length
          ? []
          : [`Of request ${sent.request}, ${stored} of ${sent.events.length} events are stored.`];
      }),
};
