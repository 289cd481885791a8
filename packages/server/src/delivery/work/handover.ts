import type { PipelineEvent } from '../../core/event/scope.ts';
import type { ClaimedDelivery } from '../../core/stores/delivery-queue.ts';
import {
  deliveryClaimOf,
  type MadeDelivery,
  type SettledRun,
  type Settlement,
  type SettleResult,
} from '../../core/stores/event-queue.ts';
import type { Membership } from '../../core/work/membership.ts';
import type { Reservation } from '../../core/work/reservation.ts';
import type { ClaimGrant } from './claim.ts';
import type { DestinationQueue } from './destination-queue.ts';
import type { Promised } from './promised-room.ts';

/**
 * What pipelines hand over. Deliveries are made as claimed where the queue of their destination has room for them, and
 * are sent from memory once that is on disk. What has no room waits in storage, and is claimed from there.
 */
export interface Handover {
  /** Room for the deliveries of what is about to be settled; null where there is none for any. */
  reserve(made: readonly HandedOver[], at: number): Reservation<Settlement, SettleResult> | null;
  /** Of what is being settled. */
  tokens(): readonly string[];
}

interface HandedOver {
  readonly settlement: Settlement;
  readonly event: PipelineEvent;
}

interface Place {
  readonly queue: DestinationQueue;
  readonly promised: Promised;
}

export function createHandover(options: {
  queueOf(destinationId: string): DestinationQueue | undefined;
  readonly newToken: Membership['newToken'];
  promise(queue: DestinationQueue, bytes: number): Promised | null;
  /** False where nothing is sent from there any more. */
  offer(queue: DestinationQueue, delivery: ClaimedDelivery, grant: ClaimGrant, promised: Promised): boolean;
  giveBack(token: string, deliveries: readonly ClaimedDelivery[]): void;
  /** All that was offered may go out. */
  send(queues: ReadonlySet<DestinationQueue>): void;
}): Handover {
  const tokens = new Set<string>();

  /** Of one settlement, by the position of the run and the destination. */
  function placesFor({ orgId, runs }: Settlement): Map<string, Place> | null {
    let places: Map<string, Place> | null = null;
    for (const [position, { destinations, output }] of runs.entries()) {
      for (const id of destinations) {
        const queue = options.queueOf(id);
        if (queue === undefined || queue.stored.orgId !== orgId) continue;
        const promised = options.promise(queue, output.length);
        if (promised === null) continue;
        places ??= new Map();
        places.set(deliveryClaimOf(position, id), { queue, promised });
      }
    }
    return places;
  }

  return {
    reserve(made, at) {
      const places = made.map(({ settlement }) => placesFor(settlement));
      if (places.every(place => place === null)) return null;
      const token = options.newToken();
      const letGo = (of: Map<string, Place> | null | undefined) => {
        for (const { promised } of of?.values() ?? []) promised.end();
      };
      if (token === null) {
        for (const of of places) letGo(of);
        return null;
      }
      tokens.add(token);
      return {
        items: made.map(({ settlement }, i) => withClaims(settlement, places[i] ?? null, token)),
        stored(results) {
          tokens.delete(token);
          const queues = new Set<DestinationQueue>();
          const refused: ClaimedDelivery[] = [];
          for (const [i, { settlement, event }] of made.entries()) {
            const of = places[i];
            const result = results[i];
            const claimed = result?.kind === 'settled' ? (result.claimed ?? []) : [];
            for (const one of claimed) {
              const place = of?.get(deliveryClaimOf(one.run, one.destinationId));
              if (place === undefined) continue;
              const delivery = toClaimed(settlement, event, one, at);
              const grant = { token, knownAt: place.promised.at };
              if (options.offer(place.queue, delivery, grant, place.promised)) queues.add(place.queue);
              else refused.push(delivery);
            }
            letGo(of);
          }
          options.giveBack(token, refused);
          options.send(queues);
        },
        failed() {
          tokens.delete(token);
          for (const of of places) letGo(of);
        },
      };
    },
    tokens: () => [...tokens],
  };
}

function withClaims(settlement: Settlement, places: Map<string, Place> | null, token: string): Settlement {
  if (places === null) return settlement;
  const claims = [...places.keys()];
  return { ...settlement, claimedDeliveries: { token, claims } };
}

function toClaimed(
  { orgId, jobId, runs }: Settlement,
  event: PipelineEvent,
  { id, run, destinationId }: MadeDelivery,
  at: number,
): ClaimedDelivery {
  const { output, sourceName } = runs[run] as SettledRun;
  return {
    id,
    orgId,
    destinationId,
    event,
    output,
    sourceName,
    isReplay: jobId !== null,
    attempt: 0,
    budgetFrom: 0,
    budgetAt: at,
    isRetried: false,
    dueAt: at,
  };
}
