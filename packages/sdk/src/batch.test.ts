import { expect, test } from 'bun:test';
import { createBatchWriter, eventsIn, newBatch } from './batch.ts';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test('a batch is the body of a request, byte for byte, and knows its events', () => {
  const events = ['{"a":1}', '{"b":"€ 😀"}', '{}'];
  const batch = newBatch(events);
  expect(text(batch.body)).toBe('{"events":[{"a":1},{"b":"€ 😀"},{}]}');
  expect(eventsIn(batch).map(text)).toEqual(events);
  expect(newBatch(eventsIn(batch), batch.key)).toEqual(batch);
});

test('a writer fills one batch after the other, larger than its buffer, and none changes afterwards', () => {
  const writer = createBatchWriter();
  const large = `{"text":"${'€'.repeat(50_000)}"}`;
  writer.add(large);
  writer.add('{"n":1}');
  const first = writer.finish();
  writer.add('{"n":2}');
  const second = writer.finish();
  expect(eventsIn(first).map(text)).toEqual([large, '{"n":1}']);
  expect(text(second.body)).toBe('{"events":[{"n":2}]}');
  expect(second.key).not.toBe(first.key);
});

test('keys sort by the time of their batch, and are what the server takes', () => {
  const keys = [newBatch([]).key, newBatch([]).key];
  for (const key of keys) expect(key).toMatch(/^[0-9a-z]{9}-[0-9a-f]{24}$/);
  const timeOf = (key: string) => key.slice(0, 9);
  expect(timeOf(keys[0] ?? '') <= timeOf(keys[1] ?? '')).toBe(true);
});
