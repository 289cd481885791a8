import { expect, test } from 'bun:test';
import { createLookupCache } from './lookup-cache.ts';

/** A cache of words, which finds whatever does not begin with "no", and the names that it was asked to find. */
function open() {
  const found: string[] = [];
  const state = { mayCache: true };
  const cache = createLookupCache<{ name: string }>({
    mayCache: () => state.mayCache,
    async find(name) {
      found.push(name);
      return name.startsWith('no') ? null : { name };
    },
  });
  return { cache, state, timesFound: (name: string) => found.filter(one => one === name).length };
}

test('the cache is bounded, and what is in use stays in it while others come and go', async () => {
  const { cache, timesFound } = open();
  for (let n = 0; n < 25_000; n++) {
    await cache.get(`once ${n}`);
    await cache.get('in use');
  }
  expect(timesFound('in use')).toBe(1);
  expect(cache.get('once 24999')).toEqual({ name: 'once 24999' });
  expect(cache.get('once 0')).toBeInstanceOf(Promise);
});

test('what is not found takes no place, however much of it is asked for', async () => {
  const { cache } = open();
  await cache.get('there');
  for (let n = 0; n < 25_000; n++) await cache.get(`no ${n}`);
  expect(cache.get('there')).toEqual({ name: 'there' });
});

test('what was being looked up when something changed is not kept, whomever the change concerned', async () => {
  const { cache } = open();
  const looking = cache.get('a');
  cache.drop(() => false);
  expect(await looking).toEqual({ name: 'a' });
  expect(cache.get('a')).toBeInstanceOf(Promise);
});

test('what was being looked up when changes could no longer be received is not kept', async () => {
  const { cache, state } = open();
  const looking = cache.get('a');
  state.mayCache = false;
  await looking;
  state.mayCache = true;
  expect(cache.get('a')).toBeInstanceOf(Promise);
});
