import type { Invariant } from './evidence.ts';

/** Types name their organisation; some vendors' texts escape what is in them. */
const ownersIn = (text: string): string[] =>
  [...text.replaceAll('\\', '').matchAll(/(?:torture|unheard)\.([\w-]+)\.\d+\.\d+/g)].map(
    ([, owner = '']) => owner,
  );

export const tenantsAreApart: Invariant = {
  name: 'tenants',
  promise: 'Nothing of one organisation reaches a receiver or a list of another.',
  broken: ({ logs, events }) => [
    ...logs.receivers.flatMap(({ organisation, receiver, body, event }) => {
      const stored = events.get(event);
      const strangers = ownersIn(body).filter(owner => owner !== organisation);
      if (stored && stored.organisation !== organisation) strangers.push(stored.organisation);
      return strangers.map(owner => `${receiver} of ${organisation} was sent an event of ${owner}.`);
    }),
    ...[...events.values()].flatMap(({ organisation, type, id }) =>
      ownersIn(type)
        .filter(owner => owner !== organisation)
        .map(owner => `${id} of ${owner} is listed at ${organisation}.`),
    ),
  ],
};
