import { expect, test } from 'bun:test';
import { until } from '../../../test/support/until.ts';
import type { StartCalledThread } from '../../core/threads/called-thread.ts';
import { createDatabaseThread } from './database-thread.ts';
import type { LocatedDatabase } from './pools.ts';
import type { DatabaseCall, DatabaseReply } from './protocol.ts';

type StartDatabaseThread = StartCalledThread<DatabaseCall, DatabaseReply>;

const database: LocatedDatabase = {
  key: 'a',
  addresses: ['127.0.0.1'],
  serverName: null,
  port: 5432,
  user: 'u',
  password: 'p',
  database: 'd',
  tls: false,
  ca: undefined,
};

/** Threads that are made by hand: the first does as it is told, later ones answer at once. */
function threads(first: (message: DatabaseCall, handlers: Parameters<StartDatabaseThread>[0]) => void) {
  let started = 0;
  let ended = 0;
  const start: StartDatabaseThread = handlers => {
    const isFirst = ++started === 1;
    return {
      post(message) {
        if (isFirst) return first(message, handlers);
        if (message.kind !== 'work') return;
        const result = { kind: 'done', value: 'INSERT 0 1' } as const;
        queueMicrotask(() => handlers.onMessage({ kind: 'done', call: message.call, result }));
      },
      end: () => void ended++,
    };
  };
  return { start, started: () => started, ended: () => ended };
}

const insertion = { table: 't', columns: [], values: '[]', isTest: false };

test('a thread that does not get on is ended; what was under way has failed, and the next use has another', async () => {
  const made = threads(message => {
    if (message.kind === 'open') Atomics.add(new Int32Array(message.heartbeat), 0, 1);
  });
  const errors: unknown[] = [];
  const thread = createDatabaseThread({
    start: made.start,
    onError: error => errors.push(error),
    stuckAfterMs: 500,
  });
  const both = [1, 2].map(() => thread.use('insert', insertion, database, 60_000));
  expect(await Promise.all(both)).toEqual(
    Array(2).fill({
      kind: 'failed',
      failure: { code: 'bad_response', message: expect.stringContaining('was cut') },
      wasReached: true,
    }),
  );
  expect([made.started(), made.ended(), errors.length]).toEqual([1, 1, 1]);
  expect(await thread.use('insert', insertion, database, 60_000)).toEqual({
    kind: 'done',
    value: 'INSERT 0 1',
  });
  expect(made.started()).toBe(2);
  thread.stop();
});

test('a thread that ends by itself fails what was under way at once', async () => {
  const made = threads((message, { onFailure }) => {
    if (message.kind === 'work') onFailure('out of memory');
  });
  const thread = createDatabaseThread({ start: made.start, onError: () => {} });
  expect(await thread.use('insert', insertion, database, 60_000)).toMatchObject({ kind: 'failed' });
  expect(await thread.use('insert', insertion, database, 60_000)).toMatchObject({ kind: 'done' });
  thread.stop();
});

test('a thread that gets on may take its time', async () => {
  let release = () => {};
  let beaten = 0;
  const made = threads((message, { onMessage }) => {
    if (message.kind === 'open') {
      const beats = new Int32Array(message.heartbeat);
      setInterval(() => {
        beaten = Atomics.add(beats, 0, 1);
      }, 20).unref();
    }
    if (message.kind === 'work') {
      const { call } = message;
      release = () => onMessage({ kind: 'done', call, result: { kind: 'done', value: 'late' } });
    }
  });
  const thread = createDatabaseThread({ start: made.start, onError: () => {}, stuckAfterMs: 250 });
  const used = thread.use('insert', insertion, database, 60_000);
  await until(() => beaten > 40, 'The thread does not get on.');
  release();
  expect(await used).toEqual({ kind: 'done', value: 'late' });
  expect(made.ended()).toBe(0);
  thread.stop();
});

test('a thread that takes long to start is not one that is stuck', async () => {
  const made = threads((message, { onMessage }) => {
    if (message.kind !== 'work') return;
    const { call } = message;
    const answer = () => onMessage({ kind: 'done', call, result: { kind: 'done', value: 'at last' } });
    setTimeout(answer, 1_000);
  });
  const thread = createDatabaseThread({ start: made.start, onError: () => {}, stuckAfterMs: 250 });
  expect(await thread.use('insert', insertion, database, 60_000)).toEqual({ kind: 'done', value: 'at last' });
  thread.stop();
});

test('a thread that never starts is ended', async () => {
  const made = threads(() => {});
  const thread = createDatabaseThread({ start: made.start, onError: () => {}, startedWithinMs: 250 });
  expect(await thread.use('insert', insertion, database, 60_000)).toMatchObject({ kind: 'failed' });
  expect(made.ended()).toBe(1);
  thread.stop();
});
