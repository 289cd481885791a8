import { expect, test } from 'bun:test';
import { badgesOf } from './badges.ts';

test('a badge says what it counts, and nothing where there is nothing', () => {
  expect(badgesOf(undefined)).toEqual({});
  const none = { dead_letters: { count: 0, more: false }, destinations_down: 0, running_jobs: 0 };
  expect(badgesOf(none)).toEqual({});
  const some = { dead_letters: { count: 999, more: true }, destinations_down: 1, running_jobs: 2 };
  expect(badgesOf(some)).toEqual({
    '/dead-letters': { text: '999+', name: '999+ dead letters', isBad: true },
    '/destinations': { text: '1', name: '1 destination down', isBad: true },
    '/jobs': { text: '2', name: '2 running jobs', isBad: false },
  });
  const one = { ...none, dead_letters: { count: 1, more: false } };
  expect(badgesOf(one)['/dead-letters']?.name).toBe('1 dead letter');
});
