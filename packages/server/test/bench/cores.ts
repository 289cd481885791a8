import { availableParallelism } from 'node:os';
import { costFigures } from './cost.ts';
import { type Figure, plainly, type Section, thousands } from './figure.ts';
import { THREE_STEPS } from './route.ts';
import { contenderOf, type Routed, startRouted } from './routed.ts';
import { sustainInTurns } from './sustained.ts';

const ROUNDS = 3;

/** Two cores have no thread that sends unless they are told to: what one costs is what it takes from the main one. */
const CONTESTS: readonly { where: string; cores: number; settings: Record<string, string> }[] = [
  { where: 'on 1 core', cores: 1, settings: {} },
  { where: 'on 2 cores', cores: 2, settings: {} },
  { where: 'on 2 cores, sending from a thread', cores: 2, settings: { SLUICE_SENDING_THREADS: '1' } },
];

/** How the rate follows the cores that the service may use; sender and receiver may use all of the machine. */
export const coresSection: Section = {
  name: 'cores',
  about:
    'From the endpoint through three steps to a signed webhook on embedded SQLite, with the service kept to 1 and to 2 cores, and with a thread that sends',
  minutes: 2,
  async run() {
    const contests = CONTESTS.filter(({ cores }) => cores <= availableParallelism());
    const services: Routed[] = [];
    try {
      for (const { cores, settings } of contests)
        services.push(await startRouted({ steps: THREE_STEPS }, { cores, settings }));
      const results = await sustainInTurns(
        services.map(routed => contenderOf(routed)),
        ROUNDS,
      );
      return results.flatMap(({ eventsPerSecond, spent }, i): Figure[] => {
        const where = contests[i]?.where ?? '';
        return [plainly(`${where}, events/s`, thousands(eventsPerSecond)), ...costFigures(where, spent)];
      });
    } finally {
      for (const each of services) await each.stop();
    }
  },
};
