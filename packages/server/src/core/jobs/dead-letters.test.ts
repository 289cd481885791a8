import { expect, test } from 'bun:test';
import { readSelection } from './dead-letters.ts';

test('a retry that an earlier version began keeps to its filter', () => {
  const begun = {
    filter: { code: 'timeout', endedAfter: 1, endedBefore: 2 },
    deliveries: true,
    events: false,
  };
  expect(readSelection({ request: JSON.stringify(begun) })).toEqual({
    filter: { code: 'timeout', madeAfter: 1, madeBefore: 2 },
    deliveries: true,
    events: false,
  });
  const now = { filter: { madeAfter: 3 }, deliveries: true, events: true };
  expect(readSelection({ request: JSON.stringify(now) })).toEqual(now);
});
