import type { Invariant } from './evidence.ts';

export const oneKeyOneEvent: Invariant = {
  name: 'keys',
  promise: 'One key, one event: every answer to it has the same ids, and only one of them is no duplicate.',
  broken: ({ requests, eventsByType, living }) =>
    requests
      .filter(({ sent }) => living.has(sent.organisation))
      .flatMap(({ sent, answers }) => {
        const accepted = answers.filter(({ status }) => status === 202);
        const ids = new Set(accepted.map(({ events }) => events.map(({ id }) => id).join()));
        const fresh = accepted.filter(({ events }) => events.some(({ duplicate }) => !duplicate));
        const doubled = sent.events.filter(({ type }) => (eventsByType.get(type)?.length ?? 0) > 1);
        return [
          ids.size > 1
            ? `Request ${sent.request} was answered with different ids: ${[...ids].join(' and ')}.`
            : '',
          fresh.length > 1 ? `Request ${sent.request} was called new ${fresh.length} times.` : '',
          ...doubled.map(({ type }) => `${type} is stored ${eventsByType.get(type)?.length} times.`),
        ].filter(sentence => sentence !== '');
      }),
};
