import { expect, test } from 'bun:test';
import { until } from '../../../test/support/until.ts';
import { repeat } from './repeat.ts';

const ignore = () => {};

test('begins at once, goes on, and ends when it is stopped', async () => {
  let times = 0;
  const stop = repeat(5, async () => void times++, ignore);
  await until(() => times >= 3, 'it did not go on');
  await stop();
  const then = times;
  await new Promise(resolve => setTimeout(resolve, 20));
  expect(times).toBe(then);
});

test('never works twice at once, and stopping waits for the work at hand', async () => {
  let begun = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = repeat(
    1,
    () => {
      begun++;
      return promise;
    },
    ignore,
  );
  await new Promise(done => setTimeout(done, 20));
  let stopped = false;
  const stopping = stop().then(() => {
    stopped = true;
  });
  await Promise.resolve();
  expect([begun, stopped]).toEqual([1, false]);
  resolve();
  await stopping;
  expect(stopped).toBe(true);
});

test('goes on after a failure, thrown or rejected', async () => {
  const errors: unknown[] = [];
  let times = 0;
  const stop = repeat(
    1,
    () => {
      times++;
      if (times === 1) throw new Error('thrown');
      return times === 2 ? Promise.reject(new Error('rejected')) : Promise.resolve();
    },
    error => void errors.push((error as Error).message),
  );
  await until(() => times >= 4, 'it did not go on');
  await stop();
  expect(errors).toEqual(['thrown', 'rejected']);
});
