import { acceptedEvents, type Evidence, type Invariant } from './evidence.ts';

/** Tried once, since another try would end the same. */
const FINAL_AT_ONCE = 'address_not_allowed';
/** Nobody troubles them, so that only a fault of a node can end an attempt there. */
const alwaysWell = new Set(['good', 'pausable', 'inbox', 'email', 'postgres']);

export const deadAfterSchedule: Invariant = {
  name: 'dead letters',
  promise:
    'Nothing is dead before its schedule has ended, and every attempt of it failed; what goes to a receiver that is always well arrives, unless somebody withdraws it.',
  broken: evidence => [...diedEarly(evidence), ...neverArrived(evidence)],
};

const diedEarly = ({ deliveries, destinations }: Evidence): string[] =>
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
  });

function neverArrived(evidence: Evidence): string[] {
  const { people, seen } = evidence.logs;
  const discarded = new Set(people.filter(({ what }) => what.startsWith('discard')).map(({ id }) => id));
  const retriedAt = new Map(
    people.flatMap(({ what, id, at }) => (what === 'retry' ? [[id, at] as const] : [])),
  );
  const deadAt = new Map<string, number>();
  // When it was first known to be dead; whoever is retried dies again, and later.
  for (const { delivery, state, askedAt, at } of seen)
    if (state === 'dead' && !deadAt.has(delivery) && askedAt > (retriedAt.get(delivery) ?? 0))
      deadAt.set(delivery, at);
  const deadBy = (id: string): number => deadAt.get(id) ?? Number.POSITIVE_INFINITY;
  return acceptedEvents(evidence).flatMap(({ id, request: { sent } }) => {
    const event = evidence.events.get(id);
    if (event === undefined || event.isErased) return [];
    return event.deliveries.flatMap(delivery => {
      const { name = '' } = evidence.destinations.get(delivery.destination) ?? {};
      if (!alwaysWell.has(name) || discarded.has(delivery.id)) return [];
      if (delivery.state === 'cancelled')
        return [`${delivery.id} to ${name} is cancelled, and nobody asked.`];
      if (delivery.state !== 'dead') return [];
      // Without an answer: torn away from it. An answer that was no yes is one that they never give.
      const broken = delivery.attempts.filter(({ status }) => status === null).length;
      return broken === delivery.attempts.length &&
        broken <= evidence.mostBreaks(sent.at, deadBy(delivery.id))
        ? []
        : [`${delivery.id} is dead, and ${name} was well all the time.`];
    });
  });
}
