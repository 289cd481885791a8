import type {
  DeadLetterActions,
  DeadLetterSelection,
  StoredDeadLetter,
} from '../../core/jobs/dead-letters.ts';
import type { StoredFailure } from '../../core/stores/dead-letters.ts';
import type { StoredDelivery } from '../../core/stores/delivery.ts';
import type { DeliveryQueue } from '../../core/stores/delivery-queue.ts';

/** A delivery that is dead, or an event that failed, of which only the id is known yet. */
export type FoundLetter = StoredDelivery | { readonly id: string };

export interface FoundPage {
  readonly letters: readonly FoundLetter[];
  readonly next: string | null;
}

/** Finds dead letters of both kinds as one list, newest first, and reads why each is one. */
export interface DeadLetterFinder {
  find(
    orgId: string,
    selection: DeadLetterSelection,
    page: { readonly limit: number; readonly below: string | null },
  ): Promise<FoundPage>;
  /** Leaves out what was resolved or discarded since it was found. */
  read(orgId: string, letters: readonly FoundLetter[]): Promise<StoredDeadLetter[]>;
  readonly count: DeadLetterActions['count'];
}

/** Ids of both kinds end in the same kind of time: what stands behind the prefix orders them all. */
export const placeInList = (id: string): string => id.slice(id.indexOf('_') + 1);

export const isDelivery = (letter: FoundLetter): letter is StoredDelivery => 'attempt' in letter;

export function createDeadLetterFinder(
  deliveryQueue: Pick<
    DeliveryQueue,
    | 'countDeliveries'
    | 'countFailedEvents'
    | 'listAttempts'
    | 'listDeliveries'
    | 'listFailedEvents'
    | 'listFailures'
  >,
): DeadLetterFinder {
  async function readOne(
    letter: FoundLetter,
    failures: readonly StoredFailure[],
  ): Promise<StoredDeadLetter | null> {
    if (isDelivery(letter)) {
      const attempts = await deliveryQueue.listAttempts(letter.orgId, letter.id);
      return { kind: 'delivery', delivery: letter, attempts };
    }
    const [first, ...others] = failures;
    return first === undefined ? null : { kind: 'event', id: letter.id, failures: [first, ...others] };
  }

  return {
    async find(orgId, selection, { limit, below }) {
      const { kind: _, ...filter } = selection.filter;
      const deliveries = selection.deliveries
        ? await deliveryQueue.listDeliveries(
            orgId,
            { ...filter, state: 'dead' },
            { limit: limit + 1, below: below && `dlv_${below}` },
          )
        : [];
      const events = selection.events
        ? await deliveryQueue.listFailedEvents(orgId, {
            ...filter,
            limit: limit + 1,
            below: below && `evt_${below}`,
          })
        : [];
      const all = [...deliveries, ...events.map(id => ({ id }))].sort((a, b) =>
        placeInList(a.id) < placeInList(b.id) ? 1 : -1,
      );
      const letters: FoundLetter[] = all.slice(0, limit);
      const last = letters.at(-1);
      return { letters, next: all.length > letters.length && last ? placeInList(last.id) : null };
    },

    async read(orgId, letters) {
      const failed = letters.filter(letter => !isDelivery(letter)).map(({ id }) => id);
      const failures = Map.groupBy(await deliveryQueue.listFailures(orgId, failed), ({ eventId }) => eventId);
      const read = await Promise.all(letters.map(letter => readOne(letter, failures.get(letter.id) ?? [])));
      return read.filter(letter => letter !== null);
    },

    async count(orgId, selection, most) {
      const { kind: _, ...filter } = selection.filter;
      const [deliveries, events] = await Promise.all([
        selection.deliveries ? deliveryQueue.countDeliveries(orgId, { ...filter, state: 'dead' }, most) : 0,
        selection.events ? deliveryQueue.countFailedEvents(orgId, filter, most) : 0,
      ]);
      return { deliveries, events };
    },
  };
}
