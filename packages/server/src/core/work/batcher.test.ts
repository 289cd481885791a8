import { describe, expect, test } from 'bun:test';
import { nextTurn } from '../../../test/support/next-turn.ts';
import { Problem } from '../errors.ts';
import { type BatcherOptions, createBatcher } from './batcher.ts';

const away = () => new Problem('storage_unavailable', { retryAfter: 1 });

/** A batcher of words whose writes end when the test says so, or at once where `fails` decides what becomes of them. */
function open(
  options: Partial<BatcherOptions<string, string>> = {},
  fails?: (words: readonly string[]) => Error | null,
) {
  const writes: { readonly words: string; end(error?: Error): void }[] = [];
  const batcher = createBatcher<string, string>({
    atOnce: 1,
    whenAway: 'reject',
    whenRefused: 'reject',
    async write(words) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const end = (error?: Error | null) => (error ? reject(error) : resolve());
      writes.push({ words: words.join(' '), end });
      if (fails) end(fails(words));
      await promise;
      return words.map(word => word.toUpperCase());
    },
    ...options,
  });
  const outcomes = async (...words: string[]) =>
    (await Promise.allSettled(words.map(batcher.add))).map(outcome =>
      outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as Error).message,
    );
  return {
    ...batcher,
    outcomes,
    written: () => writes.map(({ words }) => words),
    end: (n: number, error?: Error) => writes[n]?.end(error),
  };
}

describe('a batch goes', () => {
  test('after this turn of the event loop, with everything that came within it, each answered by itself', async () => {
    const { add, end, written } = open();
    const answers = Promise.all(['a', 'b', 'c'].map(add));
    expect(written()).toEqual([]);
    await nextTurn();
    expect(written()).toEqual(['a b c']);
    end(0);
    expect(await answers).toEqual(['A', 'B', 'C']);
  });

  test('while fewer than so many are under way; the rest gathers', async () => {
    const { add, end, waiting, written } = open({ atOnce: 2 });
    for (const word of ['a', 'b', 'c']) {
      void add(word);
      await nextTurn();
    }
    void add('d');
    await nextTurn();
    expect([written(), waiting()]).toEqual([['a', 'b'], 2]);
    end(1);
    for (let n = 0; n < 2; n++) await nextTurn();
    expect([written(), waiting()]).toEqual([['a', 'b', 'c d'], 0]);
  });

  test('beside another only when it is full, where that is the rule', async () => {
    const { add, written } = open({ atOnce: 2, whileBusy: 'full batch', most: 3 });
    void add('a');
    await nextTurn();
    void add('b');
    void add('c');
    await nextTurn();
    expect(written()).toEqual(['a']);
    void add('d');
    await nextTurn();
    expect(written()).toEqual(['a', 'b c d']);
  });

  test('by weight: one that is full takes nothing more', async () => {
    const { add, written } = open({ atOnce: 9, weigh: word => word.length, most: 4 });
    for (const word of ['aa', 'bbb', 'c', 'dddddd', 'e']) void add(word);
    for (let n = 0; n < 3; n++) await nextTurn();
    expect(written()).toEqual(['aa bbb', 'c dddddd', 'e']);
  });
});

describe('room', () => {
  const room = { bytes: 4, sizeOf: (word: string) => word.length, refusal: () => new Error('full') };

  test('is held until the answer, and what does not fit is refused', async () => {
    const { add, end } = open({ room });
    const first = add('aaa');
    await nextTurn();
    expect(() => void add('bb')).toThrow('full');
    const second = add('b');
    end(0);
    await first;
    const third = add('ccc');
    expect(() => void add('d')).toThrow('full');
    await nextTurn();
    end(1, new Error('refused'));
    await Promise.allSettled([second, third]);
    expect(() => void add('dddd')).not.toThrow();
  });

  test('is enough for one alone, however large', async () => {
    const { add } = open({ room });
    expect(() => void add('aaaaaaaa')).not.toThrow();
  });
});

describe('when storage is away', () => {
  test('all are rejected with its Problem, and nothing is tried again', async () => {
    const { outcomes, written } = open({ whenRefused: 'each alone' }, away);
    expect(await outcomes('a', 'b')).toEqual([away().message, away().message]);
    expect(written()).toEqual(['a b']);
  });

  test('the same batch is written again after each pause, until storage is back', async () => {
    const pauses: number[] = [];
    let isAway = true;
    const pause = async (ms: number) => {
      isAway = pauses.push(ms) < 30;
    };
    const { outcomes, written } = open({ whenAway: { retryMs: 500, pause } }, () => (isAway ? away() : null));
    expect(await outcomes('a', 'b')).toEqual(['A', 'B']);
    expect(pauses).toEqual(Array(30).fill(500));
    expect(written()).toEqual(Array(31).fill('a b'));
  });

  test('it is given up after so many tries', async () => {
    const errors: unknown[] = [];
    const whenAway = { retryMs: 500, mostTries: 3, pause: async () => {} };
    const { outcomes, written } = open({ whenAway, onError: error => errors.push(error) }, away);
    expect(await outcomes('a', 'b')).toEqual([away().message, away().message]);
    expect(written()).toEqual(['a b', 'a b', 'a b']);
    expect(errors).toEqual([away()]);
  });

  test('it is not waited for any more in a hurry', async () => {
    const pausing = Promise.withResolvers<void>();
    const batcher = open({ whenAway: { retryMs: 500, pause: () => pausing.promise } }, away);
    const first = batcher.outcomes('a');
    await nextTurn();
    batcher.hurry();
    pausing.resolve();
    expect(await first).toEqual([away().message]);
    expect(await batcher.outcomes('b')).toEqual([away().message]);
    expect(batcher.written()).toEqual(['a', 'a', 'b']);
  });
});

describe('when storage refuses a batch', () => {
  const refuses = (word: string) => (words: readonly string[]) =>
    words.includes(word) ? new Error(`no ${word}`) : null;

  test('all are rejected', async () => {
    const { outcomes, written } = open({}, refuses('b'));
    expect(await outcomes('a', 'b', 'c')).toEqual(['no b', 'no b', 'no b']);
    expect(written()).toEqual(['a b c']);
  });

  test('each is written alone, so that one alone is rejected', async () => {
    const { outcomes, written } = open({ whenRefused: 'each alone' }, refuses('b'));
    expect(await outcomes('a', 'b', 'c')).toEqual(['A', 'no b', 'C']);
    expect(written()).toEqual(['a b c', 'a', 'b', 'c']);
  });

  test('halves are written, and halves of those', async () => {
    const { outcomes, written } = open({ whenRefused: 'halves' }, refuses('b'));
    expect(await outcomes('a', 'b', 'c', 'd', 'e')).toEqual(['A', 'no b', 'C', 'D', 'E']);
    expect(written()).toEqual(['a b c d e', 'a b c', 'a b', 'a', 'b', 'c', 'd e']);
  });

  test('its parts wait for storage that is away meanwhile', async () => {
    let tries = 0;
    const fails = (words: readonly string[]) => {
      if (words.length > 1) return new Error('no');
      return ++tries === 1 ? away() : null;
    };
    const whenAway = { retryMs: 1, pause: async () => {} };
    const { outcomes, written } = open({ whenAway, whenRefused: 'each alone' }, fails);
    expect(await outcomes('a', 'b')).toEqual(['A', 'B']);
    expect(written()).toEqual(['a b', 'a', 'a', 'b']);
  });

  test('one that cannot be taken does not keep the next from being written', async () => {
    const { outcomes } = open({}, refuses('b'));
    expect(await outcomes('b')).toEqual(['no b']);
    expect(await outcomes('a')).toEqual(['A']);
  });
});

test('the end of a batch is reported with what became of each of its items, and every error', async () => {
  const ended: unknown[] = [];
  const errors: unknown[] = [];
  const { outcomes, drained } = open(
    {
      whenRefused: 'each alone',
      onError: error => errors.push((error as Error).message),
      onEnded: (words, results, ms) => ended.push([words, results, ms >= 0]),
    },
    words => (words.includes('b') ? new Error(`no to ${words.join()}`) : null),
  );
  await outcomes('a', 'b');
  await drained();
  expect(ended).toEqual([[['a', 'b'], ['A', undefined], true]]);
  expect(errors).toEqual(['no to a,b', 'no to b']);
});

test('drained waits for what waits and for what is under way, and for nothing more', async () => {
  const { add, drained, end } = open();
  await drained();
  void add('a');
  await nextTurn();
  void add('b');
  let isDrained = false;
  const draining = drained().then(() => {
    isDrained = true;
  });
  end(0);
  for (let n = 0; n < 2; n++) await nextTurn();
  expect(isDrained).toBe(false);
  end(1);
  await draining;
  expect(isDrained).toBe(true);
});

describe('where somebody has waited for too long', () => {
  const patience = { ms: 160, refusal: (isBegun: boolean) => new Error(isBegun ? 'unknown' : 'not begun') };

  test('all are rejected, and what no write has begun for is not written', async () => {
    const room = { bytes: 2, sizeOf: () => 1, refusal: () => new Error('full') };
    const { outcomes, add, end, written, waiting, drained } = open({ patience, room });
    const first = outcomes('a');
    await nextTurn();
    const second = outcomes('b');
    expect(await first).toEqual(['unknown']);
    expect(await second).toEqual(['not begun']);
    expect([written(), waiting()]).toEqual([['a'], 0]);
    // The write that hangs has its room until it ends, whatever comes of it then; the other one's is free.
    const third = add('c');
    expect(() => add('d')).toThrow('full');
    end(0);
    while (written().length < 2) await nextTurn();
    end(1);
    expect(await third).toBe('C');
    expect(written()).toEqual(['a', 'c']);
    await drained();
  });
});
