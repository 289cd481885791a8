import type { DeadLetterActions, StoredDeadLetter } from '../../core/jobs/dead-letters.ts';
import type { DeliveryQueue } from '../../core/stores/delivery-queue.ts';
import type { Journal } from '../../core/stores/journal.ts';
import { type DeadLetterFinder, type FoundLetter, type FoundPage, isDelivery, placeInList } from './find.ts';

const EXPORTED_AT_ONCE = 100;

/** The export of dead letters: whole, one at a time, since a hundred of them may not fit into memory. */
export function createDeadLetterExport(
  {
    deliveryQueue,
    journal,
  }: {
    readonly deliveryQueue: Pick<DeliveryQueue, 'findDelivery'>;
    readonly journal: Pick<Journal, 'findEvent'>;
  },
  finder: Pick<DeadLetterFinder, 'find' | 'read'>,
): DeadLetterActions['export'] {
  /** A reader may take minutes over a page of them, in which some are retried, discarded or erased. */
  async function stillDead(orgId: string, letter: FoundLetter): Promise<FoundLetter[]> {
    if (!isDelivery(letter)) return [letter];
    const delivery = await deliveryQueue.findDelivery(orgId, letter.id);
    return delivery?.state === 'dead' ? [delivery] : [];
  }

  async function payloadOf(orgId: string, letter: StoredDeadLetter): Promise<string | null> {
    const eventId = letter.kind === 'delivery' ? letter.delivery.eventId : letter.id;
    const event = await journal.findEvent(orgId, eventId);
    return event === null || event.erasedAt !== null ? null : event.payload;
  }

  return async function* exportLetters(orgId, selection, from = null) {
    let below: string | null = from;
    do {
      const { letters, next }: FoundPage = await finder.find(orgId, selection, {
        limit: EXPORTED_AT_ONCE,
        below,
      });
      for (const found of letters) {
        const [letter = null] = await finder.read(orgId, await stillDead(orgId, found));
        const payload = letter && (await payloadOf(orgId, letter));
        yield { letter, payload, place: placeInList(found.id) };
      }
      below = next;
    } while (below !== null);
  };
}
