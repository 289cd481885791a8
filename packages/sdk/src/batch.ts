/** Events that go in one request, and the idempotency key that they keep however often it is sent. */
export interface Batch {
  readonly key: string;
  /** What is sent, as bytes: a repeat has to be the same to the last one. */
  readonly body: Uint8Array;
  /** Where each event ends in it. */
  readonly ends: readonly number[];
}

const utf8 = new TextEncoder();
const OPENING = utf8.encode('{"events":[');
const CLOSING = utf8.encode(']}');
const COMMA = 0x2c;
const FIRST_BYTES = 16 * 1024;
/** A buffer that one huge event has made larger is not kept for good. */
const MOST_KEPT_BYTES = 4 * 1024 * 1024;

/** The batch that is being filled: written into one buffer, which serves the next batch as well. */
interface BatchWriter {
  readonly key: string;
  readonly count: number;
  readonly bytes: number;
  /** Whether with this event the batch would have so many bytes at most. */
  fits(event: string, most: number): boolean;
  /** Answers the event's bytes, which stand until the next call. */
  add(event: string | Uint8Array): Uint8Array;
  /** The batch as it is; the writer begins another one. */
  finish(): Batch;
}

export function createBatchWriter(key = newKey()): BatchWriter {
  let buffer = new Uint8Array(FIRST_BYTES);
  let current = key;
  let ends: number[] = [];
  buffer.set(OPENING);
  let length = OPENING.length;

  function makeRoom(bytes: number): void {
    if (length + bytes <= buffer.length) return;
    const larger = new Uint8Array(Math.max(length + bytes, buffer.length * 2));
    larger.set(buffer.subarray(0, length));
    buffer = larger;
  }

  return {
    get key() {
      return current;
    },
    get count() {
      return ends.length;
    },
    get bytes() {
      return length;
    },
    fits(event, most) {
      const room = most - length - CLOSING.length - (ends.length > 0 ? 1 : 0);
      // It is encoded only where its length does not tell.
      return event.length * 3 <= room || (event.length <= room && utf8.encode(event).length <= room);
    },
    add(event) {
      // A character takes three bytes at most; then there is the comma, or what closes the body.
      makeRoom(event.length * 3 + CLOSING.length);
      if (ends.length > 0) buffer[length++] = COMMA;
      const start = length;
      if (typeof event === 'string') length += utf8.encodeInto(event, buffer.subarray(start)).written;
      else {
        buffer.set(event, start);
        length += event.length;
      }
      ends.push(length);
      return buffer.subarray(start, length);
    },
    finish() {
      makeRoom(CLOSING.length);
      buffer.set(CLOSING, length);
      const batch = { key: current, body: buffer.slice(0, length + CLOSING.length), ends };
      current = newKey();
      ends = [];
      length = OPENING.length;
      if (buffer.length > MOST_KEPT_BYTES) {
        buffer = new Uint8Array(FIRST_BYTES);
        buffer.set(OPENING);
      }
      return batch;
    },
  };
}

export function newBatch(events: readonly (string | Uint8Array)[], key?: string): Batch {
  const writer = createBatchWriter(key);
  for (const event of events) writer.add(event);
  return writer.finish();
}

/** Each event's JSON, in UTF-8. */
export const eventsIn = ({ body, ends }: Batch): Uint8Array[] =>
  ends.map((end, i) => body.subarray(i === 0 ? OPENING.length : (ends[i - 1] ?? 0) + 1, end));

/** Begins with the time, so that what a spool has kept is sent in its order. */
function newKey(): string {
  const random = crypto.getRandomValues(new Uint8Array(12));
  const hex = Array.from(random, byte => byte.toString(16).padStart(2, '0')).join('');
  return `${Date.now().toString(36).padStart(9, '0')}-${hex}`;
}
