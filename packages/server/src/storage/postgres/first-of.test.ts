import { describe, expect, test } from 'bun:test';
import { firstOf, NoneOf } from './first-of.ts';

/** Hosts that answer when they are told to, and how often and in which order they were asked. */
function hosts(...names: string[]) {
  const asked: string[] = [];
  const answers = new Map(names.map(name => [name, Promise.withResolvers<string>()]));
  const discarded: string[] = [];
  const found = firstOf(
    names,
    name => {
      asked.push(name);
      return answers.get(name)?.promise ?? Promise.reject(new Error('Nobody has this name.'));
    },
    one => discarded.push(one),
  );
  const outcome = found.catch((error: unknown) => error);
  return {
    outcome,
    asked,
    discarded,
    answer: (name: string) => answers.get(name)?.resolve(`connection to ${name}`),
    fail: (name: string) => answers.get(name)?.reject(new Error(`${name} refuses`)),
  };
}

describe('of several hosts', () => {
  test('the first is taken where it answers, and no other is asked', async () => {
    const { outcome, asked, answer } = hosts('a', 'b', 'c');
    answer('a');
    expect(await outcome).toBe('connection to a');
    expect(asked).toEqual(['a']);
  });

  test('the next is asked at once where one refuses', async () => {
    const { outcome, asked, answer, fail } = hosts('a', 'b', 'c');
    fail('a');
    fail('b');
    answer('c');
    expect(await outcome).toBe('connection to c');
    expect(asked).toEqual(['a', 'b', 'c']);
  });

  test('the next is asked where one says nothing, and whoever answers later is let go', async () => {
    const { outcome, asked, discarded, answer } = hosts('a', 'b');
    answer('b');
    expect(await outcome).toBe('connection to b');
    expect(asked).toEqual(['a', 'b']);
    answer('a');
    await Promise.resolve();
    expect(discarded).toEqual(['connection to a']);
  });

  test('none is taken where each of them refuses, and each says why', async () => {
    const { outcome, fail } = hosts('a', 'b');
    fail('b');
    fail('a');
    const none = (await outcome) as NoneOf;
    expect(none).toBeInstanceOf(NoneOf);
    expect(none.failures.map(failure => (failure as Error).message)).toEqual(['a refuses', 'b refuses']);
  });
});
