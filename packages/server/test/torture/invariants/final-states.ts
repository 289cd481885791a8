import type { PeopleLine } from '../lines.ts';
import type { Invariant } from './evidence.ts';

const asked = new Set<PeopleLine['what']>(['retry', 'discard', 'discard-unclear']);

export const endsStay: Invariant = {
  name: 'final states',
  promise: 'A final state changes only where somebody retried, discarded or erased it.',
  broken({ logs, deliveries, living }) {
    const touched = new Set(logs.people.filter(({ what }) => asked.has(what)).map(({ id }) => id));
    const sentences = new Set<string>();
    for (const { delivery: id, state, organisation } of logs.seen) {
      if (!living.has(organisation) || touched.has(id)) continue;
      const found = deliveries.get(id);
      if (found === undefined) sentences.add(`${id} was seen as ${state} and is gone.`);
      else if (found.delivery.state !== state && !found.event.isErased)
        sentences.add(`${id} was seen as ${state} and is ${found.delivery.state}.`);
    }
    return [...sentences];
  },
};
