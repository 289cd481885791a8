import { isDeepStrictEqual } from 'node:util';
import type { SentEvent } from '../lines.ts';
import { payloadOf, webhookPayloadOf } from '../payload.ts';
import { acceptedEvents, type EvidentRequest, type Invariant } from './evidence.ts';

export const acceptedIsThere: Invariant = {
  name: 'accepted',
  promise: 'Every id that was answered with 202 is readable, as the event that was sent.',
  broken: evidence =>
    [
      ...acceptedEvents(evidence),
      // Also what was answered later on the same request.
      ...evidence.requests.flatMap(request =>
        evidence.living.has(request.sent.organisation)
          ? request.answers.flatMap(({ events }) =>
              events.flatMap(({ id }, i) => {
                const event = request.sent.events[i];
                return event ? [{ event, id, request }] : [];
              }),
            )
          : [],
      ),
    ].flatMap(({ event, id, request }) => {
      const stored = evidence.events.get(id);
      if (stored === undefined)
        return [`${id} of request ${request.sent.request} was acknowledged and is lost.`];
      if (stored.type !== event.type)
        return [`${id} was sent as ${event.type} and is stored as ${stored.type}.`];
      // Of what was erased nothing is left to compare.
      return stored.isErased || isDeepStrictEqual(JSON.parse(stored.payload), sentAs(request, event))
        ? []
        : [`${id} is stored with another payload than was sent.`];
    }),
};

const sentAs = ({ sent: { endpoint, organisation } }: EvidentRequest, event: SentEvent) =>
  endpoint === 'webhook' ? webhookPayloadOf(organisation, event) : payloadOf(organisation, event);
