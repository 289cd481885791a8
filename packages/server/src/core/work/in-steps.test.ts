import { expect, test } from 'bun:test';
import { atOnce, type Steps, withPauses } from './in-steps.ts';

function* counting(to: number): Steps<number> {
  for (let n = 0; n < to; n++) yield;
  return to;
}

test('work with pauses lets others in between its steps, once a turn is over', async () => {
  let others = 0;
  let isOver = false;
  const other = () => {
    others++;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  expect(await withPauses(counting(100), 0)).toBe(100);
  isOver = true;
  expect(others).toBeGreaterThanOrEqual(100);
});

test('what takes less than a turn is done in one', async () => {
  let others = 0;
  setImmediate(() => others++);
  expect(await withPauses(counting(100), 60_000)).toBe(100);
  expect(others).toBe(0);
});

test('work at once is done when it returns', () => {
  expect(atOnce(counting(100))).toBe(100);
});

test('work that fails fails in both ways', async () => {
  // biome-ignore lint/correctness/useYield: it fails before it could.
  function* failing(): Steps<never> {
    throw new Error('no');
  }
  expect(() => atOnce(failing())).toThrow('no');
  expect(withPauses(failing())).rejects.toThrow('no');
});
