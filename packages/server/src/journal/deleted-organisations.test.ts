import { expect, test } from 'bun:test';
import { minutes } from '../core/clock.ts';
import { createRemoval } from './deleted-organisations.ts';

test('what came late is looked for at the start and every ten minutes, what was just deleted each time', async () => {
  let now = 0;
  const asked: string[] = [];
  const round = createRemoval({
    upkeep: {
      reopenDeleted: async () => void asked.push('reopen'),
      pruneDeleted: async () => asked.push('prune') % 2,
    },
    clock: { now: () => now },
    pause: async () => {},
    isStopping: () => false,
  });
  await round();
  expect(asked[0]).toBe('prune');
  expect(asked).toContain('reopen');
  now = minutes(9);
  await round();
  expect(asked.filter(call => call === 'reopen')).toHaveLength(1);
  for (now of [minutes(10), minutes(10), -minutes(1)]) await round();
  expect(asked.filter(call => call === 'reopen')).toHaveLength(3);
  expect(asked.filter(call => call === 'prune').length).toBeGreaterThan(5);
});

test('a look for what came late that fails keeps nothing from being removed, and is not repeated at once', async () => {
  let looks = 0;
  let left = 0;
  const round = createRemoval({
    upkeep: {
      async reopenDeleted() {
        looks++;
        throw new Error('It took too long.');
      },
      pruneDeleted: async () => (left > 0 ? left-- : 0),
    },
    clock: { now: () => 0 },
    pause: async () => {},
    isStopping: () => false,
  });
  left = 3;
  await expect(round()).rejects.toThrow('It took too long.');
  expect(left).toBe(0);
  left = 3;
  await round();
  expect([left, looks]).toEqual([0, 1]);
});
