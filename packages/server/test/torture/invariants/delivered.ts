import type { Invariant } from './evidence.ts';

export const deliveredWasTaken: Invariant = {
  name: 'delivered',
  promise: '“Delivered” means that the receiver’s own log has a yes for that event.',
  broken({ logs, deliveries, destinations }) {
    const taken = new Set(
      logs.receivers
        .filter(({ took }) => took)
        .map(({ organisation, receiver, event }) => `${organisation} ${receiver} ${event}`),
    );
    return [...deliveries.values()].flatMap(({ delivery, event }) => {
      const destination = destinations.get(delivery.destination);
      if (delivery.state !== 'delivered' || destination === undefined || destination.kind === 'inbox')
        return [];
      return taken.has(`${event.organisation} ${destination.name} ${event.id}`)
        ? []
        : [`${delivery.id} is delivered, and ${destination.name} never took ${event.id}.`];
    });
  },
};
