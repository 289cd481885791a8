import { afterAll, expect, test } from 'bun:test';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { readAllAgain } from './read-all-again.ts';

// A tab that is hidden follows nothing.
Object.assign(globalThis, { document: { hidden: true } });
afterAll(() => {
  Reflect.deleteProperty(globalThis, 'document');
});

/** A list on the page, whose reads are answered one by one. */
function listOnPage() {
  const client = new QueryClient({ defaultOptions: { queries: { networkMode: 'always' } } });
  const reads: PromiseWithResolvers<string>[] = [];
  const list = new QueryObserver(client, {
    queryKey: ['call', '/sources'],
    queryFn() {
      const read = Promise.withResolvers<string>();
      reads.push(read);
      return read.promise;
    },
  });
  const leave = list.subscribe(() => {});
  return {
    client,
    leave,
    shown: () => list.getCurrentResult().data,
    answer: (read: number, with_: string) => reads[read]?.resolve(with_),
  };
}

test('what is being read for the first time while something changes is read once more', async () => {
  const { client, leave, shown, answer } = listOnPage();
  const current = readAllAgain(client);
  answer(0, 'before');
  answer(1, 'after');
  await current;
  expect(shown()).toBe('after');
  leave();
});

test('whoever waits for what one change left waits for the next change too', async () => {
  const { client, leave, shown, answer } = listOnPage();
  answer(0, 'before');
  const seen: unknown[] = [];
  const both = [readAllAgain(client), readAllAgain(client)].map(async current => {
    await current;
    seen.push(shown());
  });
  answer(1, 'between');
  answer(2, 'after');
  await Promise.all(both);
  expect(seen).toEqual(['after', 'after']);
  leave();
});
