import type { JsonObject } from '../json/json.ts';

/** What conditions, references and templates can read, under the names that they read it by. */
export interface Scope {
  readonly event: EventScope;
  readonly payload: JsonObject;
  readonly labels: JsonObject;
  /** Empty where the event names no entity. */
  readonly entity: EntityScope;
  /** Empty where the event came through no source, as in a dry run. */
  readonly source: { readonly name?: string };
}

interface EventScope {
  readonly id: string;
  readonly type: string;
  readonly icon?: string;
  readonly sender_id?: string;
  readonly received_at: Date;
  readonly timestamp: Date;
  /** What a webhook came with, by lower-case name; absent for an event of `/v1/ingest`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Its page in the dashboard: of what goes to a destination, where the operator has set the base URL. */
  readonly link?: string;
}

interface EntityScope {
  readonly kind?: string;
  readonly external_id?: string;
  /** Absent where the entity does not exist, or nothing asked for its traits. */
  readonly traits?: JsonObject;
}

/** An event on its way through a pipeline. */
export interface PipelineEvent {
  readonly id: string;
  readonly type: string;
  readonly icon: string | null;
  readonly senderId: string | null;
  readonly entity: EntityRef | null;
  readonly happenedAt: number;
  readonly receivedAt: number;
  /** JSON text of the headers that a webhook came with; absent where none are kept. */
  readonly headers?: string;
}

export interface EntityRef {
  readonly kind: string;
  readonly externalId: string;
}

/** As it is stored: both parts, or neither. */
export const entityRefOf = (kind: string | null, externalId: string | null): EntityRef | null =>
  kind === null || externalId === null ? null : { kind, externalId };

export function scopeOf(
  event: PipelineEvent,
  state: {
    readonly payload: JsonObject;
    readonly labels: JsonObject;
    readonly traits: JsonObject | null;
    readonly sourceName: string | null;
    readonly link?: string | null;
  },
): Scope {
  return {
    event: eventScope(event, state.link ?? null),
    payload: state.payload,
    labels: state.labels,
    entity:
      event.entity === null
        ? {}
        : {
            kind: event.entity.kind,
            external_id: event.entity.externalId,
            ...(state.traits === null ? {} : { traits: state.traits }),
          },
    source: state.sourceName === null ? {} : { name: state.sourceName },
  };
}

function eventScope(event: PipelineEvent, link: string | null): EventScope {
  const scope = {
    id: event.id,
    type: event.type,
    ...(event.icon === null ? {} : { icon: event.icon }),
    ...(event.senderId === null ? {} : { sender_id: event.senderId }),
    received_at: new Date(event.receivedAt),
    timestamp: new Date(event.happenedAt),
  };
  const whole = link === null ? scope : { ...scope, link };
  return event.headers === undefined ? whole : withHeaders(whole, event.headers);
}

/** Few conditions ask for headers, so their text is read by the first that does. */
function withHeaders(scope: EventScope, text: string): EventScope {
  let read: Readonly<Record<string, string>> | undefined;
  return {
    ...scope,
    get headers() {
      read ??= JSON.parse(text) as Readonly<Record<string, string>>;
      return read;
    },
  };
}
