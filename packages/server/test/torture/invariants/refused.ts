import type { Invariant } from './evidence.ts';

const isRefusal = (status: number | null): boolean =>
  status !== null && status >= 400 && status < 500 && status !== 429;

export const refusedIsAbsent: Invariant = {
  name: 'refused',
  promise: 'No event exists that was refused with a 4xx, and none was refused that was right.',
  broken: ({ requests, eventsByType, living }) =>
    requests
      .filter(({ sent }) => living.has(sent.organisation))
      .flatMap(({ sent, answers }) => {
        const refusal = answers.find(({ status }) => isRefusal(status));
        if (refusal === undefined) return [];
        if (sent.isValid) return [`Request ${sent.request} was right, and refused with ${refusal.status}.`];
        return sent.events
          .filter(({ type }) => eventsByType.has(type))
          .map(({ type }) => `${type} was refused with ${refusal.status} and is stored.`);
      }),
};
