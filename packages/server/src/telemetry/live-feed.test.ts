import { expect, test } from 'bun:test';
import { createLiveFeed, END, type LiveFeed, type Look, message } from './live-feed.ts';

const viewer = { orgId: 'org_1', userId: 'usr_1' };

const textOf = (chunk: Uint8Array | undefined): string => new TextDecoder().decode(chunk);

test('a look is over before the next begins, and comes sooner when something happened', async () => {
  const feed = createLiveFeed();
  let looks = 0;
  let atOnce = 0;
  const reader = feed
    .stream(viewer, async () => {
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
  const stream = feed.stream(viewer, async () => [`${++looks}`]);
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
  const readers = looks.map(look => feed.stream(viewer, look).getReader());
  for (const reader of readers) await reader.read();
  const ends = readers.map(reader => reader.read());
  await ends[0];
  feed.close();
  expect((await Promise.all(ends)).map(({ done }) => done)).toEqual([true, true, true]);
  expect(feed.count()).toBe(0);
  expect(() => feed.requireRoom(viewer)).toThrow('Too many pages');
});

test('each line of a message says that it belongs to it', () => {
  expect(message('answer', '{\r\n"a":\n1}', 'evt_1')).toBe(
    'event: answer\nid: evt_1\ndata: {\ndata: "a":\ndata: 1}\n\n',
  );
});

/** Opens as many streams as there is room for, and answers how many that were. */
async function fill(feed: LiveFeed, viewerOf: (n: number) => { orgId: string; userId: string }) {
  for (let n = 0; ; n++) {
    try {
      feed.requireRoom(viewerOf(n));
    } catch {
      return n;
    }
    await feed
      .stream(viewerOf(n), async () => [])
      .getReader()
      .read();
  }
}

test('neither one person, in however many organisations, nor one organisation takes all the room', async () => {
  const feed = createLiveFeed();
  expect(await fill(feed, n => ({ orgId: `org_${n}`, userId: 'usr_1' }))).toBe(24);
  expect(await fill(feed, n => ({ orgId: 'org_shared', userId: `usr_shared_${n}` }))).toBe(64);
  expect(await fill(feed, n => ({ orgId: `org_other_${n}`, userId: `usr_other_${n}` }))).toBe(256 - 24 - 64);
  expect(feed.count()).toBe(256);
  feed.close();
});

test('a person who hangs up may open another', async () => {
  const feed = createLiveFeed();
  const readers = Array.from({ length: 24 }, () => feed.stream(viewer, async () => []).getReader());
  for (const reader of readers) await reader.read();
  const elsewhere = { orgId: 'org_2', userId: 'usr_1' };
  expect(() => feed.requireRoom(elsewhere)).toThrow('Too many pages');
  await readers[0]?.cancel();
  expect(() => feed.requireRoom(elsewhere)).not.toThrow();
  feed.close();
});
