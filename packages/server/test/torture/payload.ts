import type { SentEvent } from './lines.ts';

/** What a sender puts into an event: all of it follows from what is written down of it, so that it can be told later. */
export const payloadOf = (
  organisation: string,
  { payloadId, route, passes, person }: SentEvent,
): Record<string, unknown> => ({
  id: payloadId,
  route,
  passes,
  organisation,
  ...(person ? { note: `private-note-of-${person}-in-${payloadId}` } : {}),
});

/** The whole body of a webhook, which is its payload: no header says which type it has. */
export const webhookPayloadOf = (organisation: string, event: SentEvent): Record<string, unknown> => ({
  type: event.type,
  ...payloadOf(organisation, event),
});
