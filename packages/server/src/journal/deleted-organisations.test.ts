import { expect, test } from 'bun:test';
import { minutes } from '../core/clock.ts';
import { createRemoval } from './deleted-organisations.ts';

test('what came late is looked for at the start and every ten minutes, what was just deleted each time', async () => {
  let now = 0;
  const asked: string[] = [];
  const round = createRemoval({
    storage: {
      reopenDeleted: async () => void asked.push('reopen'),
      pruneDeleted: async () => asked.push('prune') % 2,
    },
    clock: { now: () => now },
    pause: async () => {},
    isStopping: () => false,
  });
  await round();
  expect(asked[0]).toBe('reopen');
  now = minutes(9);
  await round();
  expect(asked.filter(call => call === 'reopen')).toHaveLength(1);
  for (now of [minutes(10), minutes(10), -minutes(1)]) await round();
  expect(asked.filter(call => call === 'reopen')).toHaveLength(3);
  expect(asked.filter(call => call === 'prune').length).toBeGreaterThan(5);
});
