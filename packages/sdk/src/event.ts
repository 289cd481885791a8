import { checked, type StandardSchema } from './schema.ts';

/** An event as the application gives it, and the JSON that it becomes. */

/**
 * Event types and what their payloads look like, as an interface or a type of the application's own:
 * `createClient<{ 'order.paid': { order: number } }>(…)`.
 */
export type EventMap<Events> = { readonly [Type in keyof Events]: object };

/** Without a map every type is taken, with any object as its payload. */
export type AnyEvents = Record<string, object>;

/** For each event type the schema that its payloads are checked by. */
export type Schemas<Events> = { readonly [Type in keyof Events]?: StandardSchema<Events[Type]> };

/** An entity by its name: `{ kind: 'customer', external_id: 'c_42' }`. */
export interface EntityRef {
  readonly kind: string;
  readonly external_id: string;
}

export interface TrackOptions {
  /** A glyph to show beside the event. */
  readonly icon?: string;
  /** The entity that it is about, which need not exist yet. */
  readonly entity?: EntityRef;
  /** Your own id for it: a second event with the same id is the first one again. */
  readonly id?: string;
  /** When it happened, as a Date or in RFC 3339. Default: now. */
  readonly timestamp?: Date | string;
}

/** Throws a sentence that says what is wrong with the event. The time is that of the call, not of the batch. */
export function writeEvent(
  schema: StandardSchema | undefined,
  type: string,
  payload: unknown,
  options: TrackOptions,
): string {
  if (typeof type !== 'string' || type === '') throw new TypeError('The type of an event must be a text.');
  const value = checked(schema, payload ?? {});
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('The payload of an event must be an object.');
  const { icon, entity, id, timestamp = new Date() } = options;
  const happenedAt = typeof timestamp === 'string' ? timestamp : timestamp.toISOString();
  return JSON.stringify({ type, payload: value, icon, entity, id, timestamp: happenedAt });
}
