/** Events that go in one request, and the idempotency key that they keep however often it is sent. */
export interface Batch {
  readonly key: string;
  /** Each event as the JSON that is sent, so that a repeat has the same bytes. */
  readonly events: string[];
  bytes: number;
}

export function newBatch(events: string[] = [], key = newKey()): Batch {
  return { key, events, bytes: events.reduce((sum, event) => sum + bytesOf(event), 0) };
}

export const bodyOf = ({ events }: Batch): string => `{"events":[${events.join(',')}]}`;

/** What an event adds to a request: its UTF-8 bytes and a comma. Almost all events are ASCII, which is quick to see. */
export const bytesOf = (event: string): number =>
  (/[^\0-\x7f]/.test(event) ? new TextEncoder().encode(event).length : event.length) + 1;

/** Begins with the time, so that what a spool has kept is sent in its order. */
function newKey(): string {
  const random = crypto.getRandomValues(new Uint8Array(12));
  const hex = Array.from(random, byte => byte.toString(16).padStart(2, '0')).join('');
  return `${Date.now().toString(36).padStart(9, '0')}-${hex}`;
}
