import { availableParallelism } from 'node:os';
import { costFigures } from './cost.ts';
import { type Figure, plainly, type Section, thousands } from './figure.ts';
import { THREE_STEPS } from './route.ts';
import { contenderOf, type Routed, startRouted } from './routed.ts';
import { sustainInTurns } from './sustained.ts';

const ROUNDS = 3;

/** How the rate follows the cores that the service may use; sender and receiver may use all of the machine. */
export const coresSection: Section = {
  name: 'cores',
  about:
    'From the endpoint through three steps to a signed webhook on embedded SQLite, with the service kept to 1 and to 2 cores',
  minutes: 1.5,
  async run() {
    const counts = [1, 2].filter(count => count <= availableParallelism());
    const services: Routed[] = [];
    try {
      for (const cores of counts) services.push(await startRouted({ steps: THREE_STEPS }, { cores }));
      const results = await sustainInTurns(
        services.map(routed => contenderOf(routed)),
        ROUNDS,
      );
      return results.flatMap(({ eventsPerSecond, spent }, i): Figure[] => {
        const where = counts[i] === 1 ? 'on 1 core' : `on ${counts[i]} cores`;
        return [plainly(`${where}, events/s`, thousands(eventsPerSecond)), ...costFigures(where, spent)];
      });
    } finally {
      for (const each of services) await each.stop();
    }
  },
};
