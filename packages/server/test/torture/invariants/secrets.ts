import type { Invariant } from './evidence.ts';

export const secretsStaySecret: Invariant = {
  name: 'secrets',
  promise: 'No secret stands in a log, an answer of the dashboard or the data directory in the clear.',
  broken: ({ logs }) => [
    ...(logs.secrets.some(({ lookedIn }) => lookedIn.length > 0) ? [] : ['Nobody looked for secrets.']),
    ...logs.secrets.flatMap(({ name, foundIn }) =>
      foundIn.map(place => `The ${name} stands in ${place} in the clear.`),
    ),
  ],
};
