/** An event as the ingest endpoints hand it to the journal: checked, with its id, its payload as JSON text. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly icon: string | null;
  readonly payload: string;
  readonly senderId: string | null;
  readonly entityKind: string | null;
  readonly entityExternalId: string | null;
  readonly happenedAt: number;
  /** JSON text of the headers that a webhook came with; absent where none are kept. */
  readonly headers?: string;
}

export const eventStates = ['accepted', 'processed', 'dropped', 'unrouted', 'failed'] as const;
export type EventState = (typeof eventStates)[number];

/** The type of a webhook event whose body names none. */
export const WEBHOOK_EVENT_TYPE = 'webhook.in.received';

export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly icon: string | null;
  readonly state: EventState;
  readonly senderId: string | null;
  readonly entity: { readonly kind: string; readonly externalId: string } | null;
  readonly sources: readonly { readonly id: string; readonly name: string }[];
  readonly happenedAt: number;
  readonly receivedAt: number;
}
