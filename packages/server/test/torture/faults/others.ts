import type { Behaviour } from '../routes.ts';
import type { Fault } from './fault.ts';

/** Receivers and models that misbehave, and clocks that jump. */
export const troubleReceiver: Fault = async ({ receivers }, { target, forMs }) => {
  const [receiver = '', behaviour] = target.split(' ');
  receivers.become(receiver, behaviour as Behaviour);
  await Bun.sleep(forMs);
  receivers.become(receiver, 'well');
  return `${target} for ${forMs} ms`;
};

export const troubleModel: Fault = async ({ model }, { target, forMs }) => {
  model.become(target as Parameters<typeof model.become>[0]);
  await Bun.sleep(forMs);
  model.become('well');
  return `${target} for ${forMs} ms`;
};

const HOUR_MS = 3_600_000;

/** Of all nodes at once, as the clocks of machines that ask the same server; it stays so until the next jump. */
export const moveClock: Fault = async ({ fleet }, { target }) => {
  fleet.setClock(Number(target) * HOUR_MS);
  return `${target} hours away from the real time`;
};
