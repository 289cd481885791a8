import type { Invariant } from './evidence.ts';

/** Tried once, since another try would end the same. */
const FINAL_AT_ONCE = 'address_not_allowed';

export const deadAfterSchedule: Invariant = {
  name: 'dead letters',
  promise: 'Nothing is dead before its schedule has ended, and every attempt of it failed.',
  broken: ({ deliveries, destinations }) =>
    [...deliveries.values()].flatMap(({ delivery, event }) => {
      if (delivery.state !== 'dead' || event.isErased) return [];
      const { attempts: promised = 1, name } = destinations.get(delivery.destination) ?? {};
      const { attempts, code, id, isOutage } = delivery;
      const succeeded = attempts.some(attempt => attempt.code === null);
      return [
        succeeded ? `${id} to ${name} is dead, and was delivered.` : '',
        attempts.length < promised && !isOutage && code !== FINAL_AT_ONCE
          ? `${id} to ${name} is dead after ${attempts.length} of ${promised} attempts.`
          : '',
      ].filter(sentence => sentence !== '');
    }),
};
