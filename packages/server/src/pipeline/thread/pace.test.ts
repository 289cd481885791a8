import { expect, test } from 'bun:test';
import { createPace } from './pace.ts';

test('a pipeline is slow after three slow runs in a row, and forgiven after a while', () => {
  let now = 0;
  const pace = createPace(() => now);
  const runs = (...busyMs: number[]) => {
    for (const ms of busyMs) pace.ended('a', ms);
    return pace.isSlow('a');
  };
  expect([runs(200, 200), runs(1), runs(200, 200), runs(51)]).toEqual([false, false, false, true]);
  expect(pace.isSlow('b')).toBe(false);
  now = 29_999;
  expect(pace.isSlow('a')).toBe(true);
  now = 30_000;
  expect([pace.isSlow('a'), runs(60, 60), runs(60)]).toEqual([false, false, true]);
});
