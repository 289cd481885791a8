import { costFigures } from './cost.ts';
import { atLeast, outOf, type Section } from './figure.ts';
import { THREE_STEPS } from './route.ts';
import { contenderOf, startRouted } from './routed.ts';
import { sustainInTurns } from './sustained.ts';

const ROUNDS = 3;

/** What a destination that never answers takes from its neighbour. */
export const hangingSection: Section = {
  name: 'hanging',
  about: 'From the endpoint through three steps to a signed webhook, beside a destination that hangs',
  minutes: 1.5,
  async run() {
    const quiet = await startRouted({ steps: THREE_STEPS });
    const troubled = await startRouted({ steps: THREE_STEPS, paths: ['/hook', '/hang'] });
    try {
      const [alone, beside] = await sustainInTurns([contenderOf(quiet), contenderOf(troubled)], ROUNDS);
      if (!alone || !beside) throw new Error('nothing was measured');
      return [
        atLeast(
          'a healthy destination beside one that hangs, over its rate alone',
          beside.eventsPerSecond / alone.eventsPerSecond,
          0.9,
          outOf(beside.eventsPerSecond, alone.eventsPerSecond, 'events/s'),
        ),
        ...costFigures('alone', alone.spent),
        ...costFigures('beside one that hangs', beside.spent),
      ];
    } finally {
      await quiet.stop();
      await troubled.stop();
    }
  },
};
