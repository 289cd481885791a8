import { afterAll, beforeAll, beforeEach, expect, jest, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { everyStore } from '../../test/support/every-store.ts';
import { nextTurn } from '../../test/support/next-turn.ts';
import { type Seed, seedOrganisation, temporaryDirectory } from '../../test/support/service.ts';
import { Problem } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
import type { AppendRequest, AppendResult } from '../core/stores/journal.ts';
import { openStorage } from '../storage/open.ts';
import { createAppender } from './append.ts';

const directory = temporaryDirectory();
let engine: StorageEngine;
let seed: Seed;

beforeAll(async () => {
  engine = await openStorage({
    directory,
    databaseUrl: undefined,
    onFatal: reason => {
      throw new Error(reason);
    },
  });
});
afterAll(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  seed = await seedOrganisation(engine);
});

const request = (change: { type?: string; id?: string; payload?: string } = {}): AppendRequest => ({
  orgId: seed.orgId,
  sourceId: null,
  receivedAt: Date.now(),
  idempotency: null,
  events: [
    {
      id: change.id ?? newId('evt'),
      type: change.type ?? 'a',
      icon: null,
      payload: change.payload ?? '{}',
      senderId: null,
      entityKind: null,
      entityExternalId: null,
      happenedAt: 0,
    },
  ],
});

const isStored = async (id: string) => (await engine.journal.findEvent(seed.orgId, id)) !== null;
const idOf = (result: AppendResult) => (result.kind === 'stored' ? result.events[0]?.id : undefined) ?? '';

/** Real storage behind a gate that a test opens when it has seen enough. */
function gated() {
  const batches: number[] = [];
  let open: () => void = () => {};
  const gate = new Promise<void>(resolve => {
    open = resolve;
  });
  return {
    batches,
    open: () => open(),
    async append(requests: readonly AppendRequest[]) {
      batches.push(requests.length);
      await gate;
      return engine.journal.append(requests);
    },
  };
}

test('nobody is answered before storage has it', async () => {
  const storage = gated();
  const appender = createAppender(storage, { commitsAtOnce: 1 });
  const sent = request();
  let answered = false;
  const accepted = appender.accept(sent).then(result => {
    answered = true;
    return result;
  });
  for (let n = 0; n < 5; n++) await nextTurn();
  expect(storage.batches).toEqual([1]);
  expect(answered).toBe(false);
  storage.open();
  expect(await isStored(idOf(await accepted))).toBe(true);
});

test('what arrives while a commit is under way shares the next one', async () => {
  const storage = gated();
  let now = 1_000;
  const appender = createAppender(storage, { commitsAtOnce: 1, now: () => now });
  const first = appender.accept(request());
  await nextTurn();
  expect(appender.isCrowded()).toBe(false);
  const rest = Array.from({ length: 20 }, () => appender.accept(request()));
  await nextTurn();
  expect(appender.waiting()).toBe(20);
  expect(appender.isCrowded()).toBe(true);
  storage.open();
  const results = await Promise.all([first, ...rest]);
  // So many at once are a crowd that is still there.
  expect(appender.isCrowded()).toBe(true);
  now += 50;
  expect(appender.isCrowded()).toBe(false);
  expect(storage.batches).toEqual([1, 20]);
  for (const result of results) expect(await isStored(idOf(result))).toBe(true);
});

test('each is answered with its own result, in whatever company', async () => {
  const appender = createAppender(everyStore(engine), { commitsAtOnce: 2 });
  const sent = Array.from({ length: 300 }, () => request());
  const results = await Promise.all(sent.map(one => appender.accept(one)));
  expect(results.map(idOf)).toEqual(sent.map(one => one.events[0]?.id ?? ''));
});

test('one that storage cannot take costs its neighbours nothing', async () => {
  const taken = idOf(await createAppender(everyStore(engine), { commitsAtOnce: 1 }).accept(request()));
  const storage = gated();
  const appender = createAppender(storage, { commitsAtOnce: 1 });
  const settled = Promise.allSettled(
    [request(), request({ id: taken }), request()].map(one => appender.accept(one)),
  );
  await nextTurn();
  storage.open();
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(storage.batches).toEqual([3, 1, 1, 1]);
});

test('a problem of storage itself is everybody’s answer, and nothing is tried again', async () => {
  let calls = 0;
  const appender = createAppender(
    {
      append() {
        calls++;
        return Promise.reject(new Problem('storage_unavailable', { retryAfter: 5 }));
      },
    },
    { commitsAtOnce: 1 },
  );
  const settled = await Promise.allSettled([request(), request()].map(one => appender.accept(one)));
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(calls).toBe(1);
  // It asks again for the next: the disk may have room by then.
  await appender.accept(request()).catch(() => {});
  expect(calls).toBe(2);
});

test('beyond what may wait in memory senders are answered to retry, until there is room', async () => {
  const storage = gated();
  const appender = createAppender(storage, { commitsAtOnce: 1 });
  const payload = JSON.stringify({ s: 'x'.repeat(1024 * 1024 - 400) });
  const accepted = Array.from({ length: 64 }, () => appender.accept(request({ payload })));
  await nextTurn();
  let refused: unknown;
  try {
    await appender.accept(request({ payload }));
  } catch (error) {
    refused = error;
  }
  expect(refused).toMatchObject({ code: 'storage_unavailable', retryAfter: 1 });
  storage.open();
  await Promise.all(accepted);
  expect((await appender.accept(request({ payload }))).kind).toBe('stored');
});

test('while storage hangs, as with both standbys away, senders are answered within the 13 seconds that are promised', async () => {
  jest.useFakeTimers();
  try {
    const appender = createAppender({ append: () => new Promise(() => {}) }, { commitsAtOnce: 1 });
    const refusals: unknown[] = [];
    for (const _ of [1, 2]) appender.accept(request()).catch(error => refusals.push(error));
    jest.advanceTimersByTime(13_000);
    await nextTurn();
    expect(refusals).toEqual([
      expect.objectContaining({ code: 'storage_unavailable' }),
      expect.objectContaining({ code: 'storage_unavailable' }),
    ]);
  } finally {
    jest.useRealTimers();
  }
});

test('drained waits for everything that was accepted, and for nothing more', async () => {
  const storage = gated();
  const appender = createAppender(storage, { commitsAtOnce: 1 });
  await appender.drained();
  const results = [appender.accept(request()), appender.accept(request())];
  let drained = false;
  const draining = appender.drained().then(() => {
    drained = true;
  });
  for (let n = 0; n < 5; n++) await nextTurn();
  expect(drained).toBe(false);
  storage.open();
  await draining;
  expect(appender.waiting()).toBe(0);
  for (const result of results) expect(await isStored(idOf(await result))).toBe(true);
});

/** An appender over this storage, and the sum of the events that its commits reported as stored. */
function counting(storage: Pick<StorageEngine['journal'], 'append'>) {
  let stored = 0;
  const appender = createAppender(storage, {
    commitsAtOnce: 1,
    onCommit(events) {
      stored += events;
    },
  });
  return { appender, stored: () => stored };
}

test('a commit counts the events that it stored: neither duplicates nor what a refused request held', async () => {
  const { appender, stored } = counting(everyStore(engine));
  const under = (bodyHash: string): AppendRequest => ({
    ...request(),
    idempotency: { scope: seed.orgId, key: 'k', bodyHash, expiresAt: Date.now() + 60_000 },
  });
  await Promise.all(Array.from({ length: 5 }, () => appender.accept(request())));
  expect(stored()).toBe(5);
  await appender.accept(under('one body'));
  expect(stored()).toBe(6);
  expect((await appender.accept(under('one body'))).kind).toBe('stored');
  expect((await appender.accept(under('another'))).kind).toBe('conflict');
  expect(stored()).toBe(6);
});

test('a commit that storage refuses counts nothing, and its neighbours count what they stored', async () => {
  const { appender, stored } = counting(everyStore(engine));
  const taken = request();
  await appender.accept(taken);
  await Promise.allSettled([request(), taken, request()].map(one => appender.accept(one)));
  await appender.drained();
  expect(stored()).toBe(3);
  const away = counting({ append: () => Promise.reject(new Problem('storage_unavailable')) });
  await Promise.allSettled([away.appender.accept(request())]);
  await away.appender.drained();
  expect(away.stored()).toBe(0);
});
