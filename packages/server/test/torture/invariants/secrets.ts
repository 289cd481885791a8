import { secretOfDestination } from '../secrets.ts';
import type { Evidence, Invariant } from './evidence.ts';

export const secretsStaySecret: Invariant = {
  name: 'secrets',
  promise: 'No secret stands in a log, an answer of the dashboard or the data directory in the clear.',
  broken: evidence => [
    ...overlooked(evidence),
    ...evidence.logs.secrets.flatMap(({ name, foundIn }) =>
      foundIn.map(place => `The ${name} stands in ${place} in the clear.`),
    ),
  ],
};

/** Whoever does not look finds nothing: each destination's own secret was looked for. */
function overlooked({ logs, destinations }: Evidence): string[] {
  const lookedFor = new Set(
    logs.secrets.filter(({ lookedIn }) => lookedIn.length > 0).map(({ name }) => name),
  );
  if (lookedFor.size === 0) return ['Nobody looked for secrets.'];
  return [...destinations.values()]
    .filter(({ secret }) => secret !== null)
    .map(({ organisation, name }) => secretOfDestination(organisation, name))
    .filter(name => !lookedFor.has(name))
    .map(name => `Nobody looked for the ${name}.`);
}
