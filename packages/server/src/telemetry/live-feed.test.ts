import { expect, test } from 'bun:test';
import { createLiveFeed, END, type Look, message } from './live-feed.ts';

const textOf = (chunk: Uint8Array | undefined): string => new TextDecoder().decode(chunk);

test('a look is over before the next begins, and comes sooner when something happened', async () => {
  const feed = createLiveFeed();
  let looks = 0;
  let atOnce = 0;
  const reader = feed
    .stream('org_1', async () => {
      expect(++atOnce).toBe(1);
      await new Promise(resolve => setTimeout(resolve, 20));
      atOnce--;
      return [`${++looks}`];
    })
    .getReader();
  expect(textOf((await reader.read()).value)).toStartWith('retry: ');
  expect(textOf((await reader.read()).value)).toBe('1');
  const asked = performance.now();
  const next = reader.read();
  feed.note('org_1');
  feed.note('org_2');
  expect(textOf((await next).value)).toBe('2');
  expect(performance.now() - asked).toBeGreaterThan(450);
  await reader.cancel();
});

test('nothing is looked at while nobody reads, and nothing is left when the reader goes', async () => {
  const feed = createLiveFeed();
  let looks = 0;
  const stream = feed.stream('org_1', async () => [`${++looks}`]);
  expect(feed.count()).toBe(0);
  const reader = stream.getReader();
  await reader.read();
  await reader.read();
  expect([feed.count(), looks]).toEqual([1, 1]);
  const pending = reader.read();
  await reader.cancel();
  expect((await pending).done).toBe(true);
  feed.note('org_1');
  expect([feed.count(), looks]).toEqual([0, 1]);
});

test('a stream ends where its look says so, where that fails, and when the process stops', async () => {
  const feed = createLiveFeed();
  const looks: Look[] = [
    async () => END,
    async () => {
      throw new Error('storage is away');
    },
    async () => [],
  ];
  const readers = looks.map(look => feed.stream('org_1', look).getReader());
  for (const reader of readers) await reader.read();
  const ends = readers.map(reader => reader.read());
  await ends[0];
  feed.close();
  expect((await Promise.all(ends)).map(({ done }) => done)).toEqual([true, true, true]);
  expect(feed.count()).toBe(0);
  expect(() => feed.requireRoom('org_1')).toThrow('Too many pages');
});

test('each line of a message says that it belongs to it', () => {
  expect(message('answer', '{\r\n"a":\n1}', 'evt_1')).toBe(
    'event: answer\nid: evt_1\ndata: {\ndata: "a":\ndata: 1}\n\n',
  );
});
