/** Events that go in one request, and the idempotency key that they keep however often it is sent. */
export interface Batch {
  readonly key: string;
  /** Each event as the JSON that is sent, so that a repeat has the same bytes. */
  readonly events: string[];
  size: number;
}

/** About what an event takes of a request: its characters, of which each becomes one to three bytes. */
export const sizeOf = (event: string): number => event.length + 1;

export const newBatch = (events: string[] = []): Batch => ({
  key: newKey(),
  events,
  size: events.reduce((sum, event) => sum + sizeOf(event), 0),
});

export const bodyOf = ({ events }: Batch): string => `{"events":[${events.join(',')}]}`;

/** Sorts by the time it was made, so that what is left in a spool is sent in its order. */
function newKey(): string {
  const random = crypto.getRandomValues(new Uint8Array(12));
  return `${Date.now().toString(36)}-${Array.from(random, byte => byte.toString(16).padStart(2, '0')).join('')}`;
}
