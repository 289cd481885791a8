import { expect, test } from 'bun:test';
import { createOwnerQueues } from './owner-queues.ts';

const full = () => new Error('full');

test('one piece of an owner is under way at a time, and those of others go beside it', async () => {
  const queues = createOwnerQueues({ mostOfOne: 10, refusal: full });
  const begun: string[] = [];
  const gate = Promise.withResolvers<void>();
  const hog = ['a1', 'a2', 'a3'].map(name =>
    queues.run('a', async () => {
      begun.push(name);
      await gate.promise;
      return name;
    }),
  );
  expect(await queues.run('b', async () => 'b')).toBe('b');
  expect(begun).toEqual(['a1']);
  gate.resolve();
  expect(await Promise.all(hog)).toEqual(['a1', 'a2', 'a3']);
  expect(begun).toEqual(['a1', 'a2', 'a3']);
});

test('an owner with too many queued is refused, and only that one, until some are done', async () => {
  const queues = createOwnerQueues({ mostOfOne: 2, refusal: full });
  const gate = Promise.withResolvers<void>();
  const two = [1, 2].map(() => queues.run('a', () => gate.promise));
  expect(queues.run('a', async () => {})).rejects.toThrow('full');
  await queues.run('b', async () => {});
  gate.resolve();
  await Promise.all(two);
  await queues.run('a', async () => {});
});

test('a piece that fails holds up none behind it', async () => {
  const queues = createOwnerQueues({ mostOfOne: 5, refusal: full });
  const failing = queues.run('a', () => Promise.reject(new Error('no')));
  const next = queues.run('a', async () => 'next');
  expect(failing).rejects.toThrow('no');
  expect(await next).toBe('next');
});
