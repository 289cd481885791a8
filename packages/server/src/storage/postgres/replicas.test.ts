import { expect, test } from 'bun:test';
import { requireReplicas, standbysWaitedFor, TooFewReplicas } from './replicas.ts';

test.each([
  ['', 0],
  ['   ', 0],
  ['*', 1],
  ['b', 1],
  ['b, c', 1],
  ['"ANY 3 (a)", c', 1],
  ['ANY 1 (b, c)', 1],
  ['any 2(b,c,d)', 2],
  ['FIRST 2 ("b one", c)', 2],
  [' first 3 (*)', 3],
  ['2 (b, c)', 2],
])('synchronous_standby_names = %p waits for %d', (names, standbys) => {
  expect(standbysWaitedFor(names)).toBe(standbys);
});

test('too few are refused with a sentence that says what is asked for and what was found', () => {
  expect(() => requireReplicas('ANY 2 (b, c)', 2)).not.toThrow();
  expect(() => requireReplicas('', 0)).not.toThrow();
  expect(() => requireReplicas('b, c', 2)).toThrow(TooFewReplicas);
  expect(() => requireReplicas('', 1)).toThrow(
    'SLUICE_REQUIRE_REPLICAS asks for 1, but PostgreSQL waits for 0: synchronous_standby_names is empty there',
  );
});
