import { type ingestEvent, parseTimestamp } from '@sluice/contract';
import { withOrganisation } from '@sluice/contract/organisation-address';
import type { z } from 'zod';
import type { Clock } from '../../../core/clock.ts';
import { invalid } from '../../../core/errors.ts';
import type { PipelineEvent } from '../../../core/event/scope.ts';
import { newId } from '../../../core/ids.ts';
import { type JsonObject, parseJson, stringifyJson } from '../../../core/json/json.ts';
import type { TriedEvent } from '../../../core/kinds/destination-admin.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { EntityStore } from '../../../core/stores/entities.ts';
import type { Journal } from '../../../core/stores/journal.ts';
import type { ClientSettings } from '../../client.ts';
import type { LoginSession } from '../access/sessions.ts';

/** The event that people try a destination with: one that came in, one that they wrote, or one that says it is a test. */

export type WrittenEvent = z.output<ReturnType<typeof ingestEvent>>;

/** An event that somebody wrote, as if it had come in now. */
export const asPipelineEvent = (event: WrittenEvent, now: number): PipelineEvent => ({
  id: newId('evt', now),
  type: event.type,
  icon: event.icon ?? null,
  senderId: event.id ?? null,
  entity: event.entity ? { kind: event.entity.kind, externalId: event.entity.external_id } : null,
  happenedAt: (event.timestamp && parseTimestamp(event.timestamp)) || now,
  receivedAt: now,
});

interface Given {
  readonly event?: WrittenEvent | undefined;
  readonly event_id?: string | undefined;
}

/** Where it is tried: the id is that of one which exists. */
interface Place {
  readonly id?: string | undefined;
  readonly name: string;
}

export interface TriedEvents {
  /** Throws a 400 where there is no such event. */
  read(session: LoginSession, given: Given, at: Place): Promise<TriedEvent>;
}

export function createTriedEvents({
  journal,
  deliveryQueue,
  entities,
  client,
  clock,
}: {
  readonly journal: Pick<Journal, 'findEvent'>;
  readonly deliveryQueue: Pick<DeliveryQueue, 'findOutput'>;
  readonly entities: Pick<EntityStore, 'findTraits'>;
  readonly client: Pick<ClientSettings, 'baseUrl'>;
  readonly clock: Clock;
}): TriedEvents {
  const linkTo = ({ orgSlug }: LoginSession, path: string): string | null =>
    client.baseUrl === undefined ? null : `${client.baseUrl}${withOrganisation(orgSlug, path)}`;

  async function traitsOf({ orgId }: LoginSession, { entity }: PipelineEvent): Promise<JsonObject | null> {
    const [traits] = entity === null ? [] : await entities.findTraits(orgId, [entity]);
    return typeof traits === 'string' ? (parseJson(traits) as JsonObject) : null;
  }

  /** As its pipeline left it for this destination, where it went there; else as it came in. */
  async function stored(session: LoginSession, id: string, place: Place): Promise<TriedEvent> {
    const event = await journal.findEvent(session.orgId, id);
    if (event === null) throw invalid('event_id', `event_id: there is no event ${id}.`);
    const sent = place.id === undefined ? null : await deliveryQueue.findOutput(session.orgId, id, place.id);
    const state =
      sent === null ? null : (parseJson(sent.output) as { payload: JsonObject; labels: JsonObject });
    return {
      event,
      payload: state === null ? event.payload : stringifyJson(state.payload),
      labels: state?.labels ?? {},
      traits: await traitsOf(session, event),
      sourceName: sent?.sourceName ?? event.sources[0]?.name ?? null,
      link: linkTo(session, `/events/${id}`),
    };
  }

  /** It has no page of its own. */
  const pageAt = ({ id }: Place, event: PipelineEvent) =>
    id === undefined ? `/events/${event.id}` : `/destinations/${id}`;

  return {
    async read(session, { event_id, event: written }, place) {
      if (event_id !== undefined) return stored(session, event_id, place);
      const now = clock.now();
      const given: WrittenEvent = written ?? {
        type: 'sluice.test',
        icon: '🧪',
        payload: { message: `A test of the destination “${place.name}”.` },
      };
      const event = asPipelineEvent(given, now);
      return {
        event,
        payload: stringifyJson(given.payload ?? {}),
        labels: {},
        traits: await traitsOf(session, event),
        sourceName: null,
        link: linkTo(session, pageAt(place, event)),
      };
    },
  };
}
