import { describe, expect, test } from 'bun:test';
import { createHandTimers, settled } from '../test/support/hand-timers.ts';
import { type Batch, eventsIn, newBatch } from './batch.ts';
import { createOutbox, type OutboxLimits } from './outbox.ts';
import type { Answer } from './post.ts';
import type { Failure } from './server.ts';
import type { Spool } from './spool.ts';

const textsOf = (batch: Batch) => eventsIn(batch).map(event => new TextDecoder().decode(event));

const stored: Answer = { kind: 'stored' };
const later = (afterMs = 0): Answer => ({ kind: 'later', afterMs, failure: { message: 'not now' } });
const refused = (index: number | null): Answer => ({ kind: 'refused', index, failure: { message: 'wrong' } });

/** An outbox on timers of the test's own, before a server that answers by a script and keeps what it stored. */
function outboxWith(
  limits: Partial<OutboxLimits> = {},
  answer: (batch: Batch) => Answer | Promise<Answer> = () => stored,
  spool: Spool | null = null,
) {
  const timers = createHandTimers();
  const attempts: { key: string; events: string[] }[] = [];
  const dropped: string[] = [];
  const failures: (Failure & { attempt: number })[] = [];
  const outbox = createOutbox({
    batchEvents: 3,
    batchBytes: 1_000,
    batchMs: 200,
    concurrency: 2,
    queueEvents: 10,
    queueBytes: 10_000,
    maxPauseMs: 30_000,
    ...limits,
    spool,
    timers,
    async post(batch) {
      attempts.push({ key: batch.key, events: textsOf(batch) });
      return answer(batch);
    },
    onRefused: event => void dropped.push(event),
    onFailure: (failure, attempt) => void failures.push({ ...failure, attempt }),
  });
  const sent = () => attempts.map(({ events }) => events.join(' '));
  return { outbox, timers, attempts, dropped, failures, sent };
}

const addAll = (outbox: { add(event: string): boolean }, events: string) =>
  events.split(' ').map(event => outbox.add(event));

describe('a batch goes', () => {
  test('when it has enough events', async () => {
    const { outbox, sent } = outboxWith();
    addAll(outbox, '1 2 3 4');
    await settled();
    expect(sent()).toEqual(['1 2 3']);
    expect(outbox.waiting()).toBe(1);
  });

  test('when it has enough bytes, each counted as UTF-8', async () => {
    const { outbox, sent } = outboxWith({ batchBytes: 30 });
    // Eleven bytes open the body; four characters of the second event are twelve bytes.
    addAll(outbox, '"12345" "€€€€" "3"');
    await settled();
    expect(sent()).toEqual(['"12345" "€€€€"']);
  });

  test('after its time, counted from its first event', async () => {
    const { outbox, timers, sent } = outboxWith();
    outbox.add('1');
    await timers.pass(150);
    outbox.add('2');
    expect(sent()).toEqual([]);
    await timers.pass(50);
    expect(sent()).toEqual(['1 2']);
    outbox.add('3');
    await timers.pass(199);
    expect(sent()).toEqual(['1 2']);
    await timers.pass(1);
    expect(sent()).toEqual(['1 2', '3']);
  });

  test('when it is flushed, which waits until it is stored', async () => {
    const answer = Promise.withResolvers<Answer>();
    const { outbox, sent } = outboxWith({}, () => answer.promise);
    outbox.add('1');
    let isFlushed = false;
    const flushed = outbox.flush().then(() => {
      isFlushed = true;
    });
    await settled();
    expect(sent()).toEqual(['1']);
    expect(isFlushed).toBe(false);
    answer.resolve(stored);
    await flushed;
    expect(outbox.waiting()).toBe(0);
  });

  test('when there is a free slot for it', async () => {
    const answers = [Promise.withResolvers<Answer>(), Promise.withResolvers<Answer>()];
    let n = 0;
    const { outbox, sent } = outboxWith({ batchEvents: 1 }, () => answers[n++]?.promise ?? stored);
    addAll(outbox, '1 2 3');
    await settled();
    expect(sent()).toEqual(['1', '2']);
    answers[1]?.resolve(stored);
    await settled();
    expect(sent()).toEqual(['1', '2', '3']);
    answers[0]?.resolve(stored);
    await outbox.flush();
  });
});

describe('a batch that fails', () => {
  test('is sent again under its key, with pauses that double', async () => {
    const { outbox, timers, attempts, failures } = outboxWith({}, () =>
      attempts.length < 5 ? later() : stored,
    );
    addAll(outbox, '1 2 3');
    const pauses: number[] = [];
    for (let n = 0; n < 4; n++) {
      await settled();
      const [pause = 0] = timers.due();
      pauses.push(pause);
      await timers.pass(pause);
    }
    await outbox.flush();
    expect(pauses).toEqual([250, 500, 1_000, 2_000]);
    expect(new Set(attempts.map(({ key }) => key)).size).toBe(1);
    expect(new Set(attempts.map(({ events }) => events.join())).size).toBe(1);
    expect(failures.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  });

  test('waits no longer than the longest pause', async () => {
    const { outbox, timers } = outboxWith({ maxPauseMs: 1_000 }, () => later());
    addAll(outbox, '1 2 3');
    for (let n = 0; n < 9; n++) {
      await settled();
      await timers.pass(timers.due()[0] ?? 0);
    }
    expect(timers.due()).toEqual([500]);
    outbox.stop();
  });

  test('waits at least as long as the server asks', async () => {
    const { outbox, timers } = outboxWith({}, () => later(7_000));
    addAll(outbox, '1 2 3');
    await settled();
    expect(timers.due()).toEqual([7_350]);
    outbox.stop();
  });

  test('is tried once more at once when there may be no later time', async () => {
    let isUp = false;
    const { outbox, sent } = outboxWith({}, () => (isUp ? stored : later(60_000)));
    addAll(outbox, '1 2 3');
    await settled();
    isUp = true;
    outbox.hurry();
    await outbox.flush();
    expect(sent()).toEqual(['1 2 3', '1 2 3']);
  });
});

describe('an event that the server refuses', () => {
  test('goes alone, and the rest is sent under a new key', async () => {
    const { outbox, attempts, dropped, sent } = outboxWith({}, batch =>
      textsOf(batch).includes('2') ? refused(1) : stored,
    );
    addAll(outbox, '1 2 3');
    await outbox.flush();
    expect(sent()).toEqual(['1 2 3', '1 3']);
    expect(dropped).toEqual(['2']);
    expect(attempts[0]?.key).not.toBe(attempts[1]?.key);
    expect(outbox.waiting()).toBe(0);
  });

  test('is found by halves where the server names none', async () => {
    const { outbox, dropped, sent } = outboxWith({ batchEvents: 4 }, batch =>
      textsOf(batch).includes('3') ? refused(null) : stored,
    );
    addAll(outbox, '1 2 3 4');
    await outbox.flush();
    expect(sent()).toEqual(['1 2 3 4', '1 2', '3 4', '3', '4']);
    expect(dropped).toEqual(['3']);
  });

  test('and an index that no event has blames none', async () => {
    const { outbox, dropped } = outboxWith({}, batch => (textsOf(batch).length > 1 ? refused(9) : stored));
    addAll(outbox, '1 2 3');
    await outbox.flush();
    expect(dropped).toEqual([]);
  });

  test('goes with its whole batch where the key stands for something else: sent again, it might be there twice', async () => {
    const { outbox, dropped, sent } = outboxWith({}, () => ({
      kind: 'conflict',
      failure: { message: 'used before' },
    }));
    addAll(outbox, '1 2 3');
    await outbox.flush();
    expect(sent()).toEqual(['1 2 3']);
    expect(dropped).toEqual(['1', '2', '3']);
  });
});

describe('what finds no room is not taken', () => {
  test('by number, until something is stored', async () => {
    let isUp = false;
    const { outbox } = outboxWith({ queueEvents: 4, concurrency: 1 }, () => (isUp ? stored : later()));
    expect(addAll(outbox, '1 2 3 4 5')).toEqual([true, true, true, true, false]);
    isUp = true;
    const flushed = outbox.flush();
    await settled();
    outbox.hurry();
    await flushed;
    expect(outbox.add('6')).toBe(true);
  });

  test('by bytes', async () => {
    const { outbox } = outboxWith({ batchEvents: 1, queueBytes: 40 }, () => later());
    // A body of one digit has fourteen bytes.
    expect(addAll(outbox, '1 2 3 4 5')).toEqual([true, true, false, false, false]);
    outbox.stop();
  });

  test('by bytes, those of the batch that is being filled and of the event itself among them', async () => {
    const { outbox } = outboxWith({ batchBytes: 1_000, queueBytes: 40 }, () => later());
    expect(outbox.add(`"${'x'.repeat(100)}"`)).toBe(false);
    expect(outbox.add('"€€€€€€€€€"')).toBe(false);
    expect(outbox.add('"€€€€€€€€"')).toBe(true);
    expect(outbox.add('1')).toBe(false);
    expect(outbox.waiting()).toBe(1);
    outbox.stop();
  });

  test('and nothing is after the end, when what is left is handed back', async () => {
    const { outbox, sent } = outboxWith({}, () => later());
    addAll(outbox, '1 2 3 4');
    await settled();
    expect(outbox.stop()).toEqual(['1', '2', '3', '4']);
    expect(outbox.waiting()).toBe(0);
    expect(outbox.add('5')).toBe(false);
    await outbox.flush();
    expect(sent()).toEqual(['1 2 3']);
  });
});

describe('with a spool', () => {
  test('what an earlier process left goes first, under its key, and counts as waiting', async () => {
    const left = newBatch(['1', '2']);
    const forgotten: string[] = [];
    const spool: Spool = {
      load: () => [left],
      append() {},
      close() {},
      replace: batch => void forgotten.push(batch.key),
      release() {},
    };
    const { outbox, attempts } = outboxWith({}, () => stored, spool);
    expect(outbox.waiting()).toBe(2);
    outbox.add('3');
    await outbox.flush();
    expect(attempts[0]).toEqual({ key: left.key, events: ['1', '2'] });
    expect(attempts[1]?.events).toEqual(['3']);
    expect(forgotten).toEqual(attempts.map(({ key }) => key));
  });

  test('that fails, events are sent from memory, and it is told', async () => {
    const fail = () => {
      throw new Error('disk full');
    };
    const spool: Spool = { load: () => [], append: fail, close: fail, replace: fail, release: fail };
    const { outbox, sent, failures } = outboxWith({}, () => stored, spool);
    expect(outbox.add('1')).toBe(true);
    await outbox.flush();
    expect(sent()).toEqual(['1']);
    expect(failures).toMatchObject(Array.from({ length: 3 }, () => ({ attempt: 0 })));
    expect(failures[0]?.message).toContain('disk full');
  });
});
