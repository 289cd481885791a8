import { expect, test } from 'bun:test';
import { loadPatiently } from './connection.ts';

/** A file of the dashboard that is away for so many tries, from a server that answers each question as listed, then always. */
function fileAwayFor(tries: number, answers: readonly boolean[]) {
  const rest = [...answers];
  let asked = 0;
  const load = async () => {
    if (asked++ < tries) throw new Error('Failed to fetch dynamically imported module');
    return 'the page';
  };
  return { load, isAnswering: async () => rest.shift() ?? true, asked: () => asked };
}

test('what failed in the moment before the server came back is loaded', async () => {
  const file = fileAwayFor(1, []);
  expect(await loadPatiently(file.load, file.isAnswering, 0)).toBe('the page');
});

test('what failed while the server was away is asked for until it is back', async () => {
  const file = fileAwayFor(4, [false, false, false]);
  expect(await loadPatiently(file.load, file.isAnswering, 0)).toBe('the page');
});

test('what a server does not have is given up at the second try that it answers', async () => {
  const file = fileAwayFor(Number.POSITIVE_INFINITY, [false]);
  await expect(loadPatiently(file.load, file.isAnswering, 0)).rejects.toThrow('Failed to fetch');
  expect(file.asked()).toBe(3);
});
