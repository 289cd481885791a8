import { expect, test } from 'bun:test';
import { Problem } from '../../core/errors.ts';
import type { EventFilter, Storage } from '../../core/ports.ts';
import { searchInTurns } from './search-turns.ts';

type Searched = Pick<Storage, 'listEvents' | 'listEntities'>;

const PAGE = { limit: 1, below: null, budgetMs: 1 };

/** Lists that end when the test says so. */
function held() {
  const underWay: { readonly name: string; end(error?: Error): void }[] = [];
  const hold =
    <Found>(found: Found) =>
    (orgId: string, filter: { text?: string | undefined; externalId?: string | undefined }) =>
      new Promise<Found>((resolve, reject) => {
        const name = `${orgId} ${filter.text ?? filter.externalId ?? ''}`.trim();
        underWay.push({ name, end: error => (error ? reject(error) : resolve(found)) });
      });
  const storage = searchInTurns({
    listEvents: hold({ events: [], next: null, searchedTo: null }),
    listEntities: hold({ entities: [], next: null }),
  } satisfies Searched as Searched);
  const search = (orgId: string, text?: string): Promise<unknown> => {
    const filter: EventFilter = text === undefined ? { after: 1, before: 2 } : { text };
    return storage.listEvents(orgId, filter, PAGE);
  };
  return { storage, underWay, search, names: () => underWay.map(({ name }) => name) };
}

test('searches of one organisation take turns, in the order they came, and hold up nobody else', async () => {
  const { storage, underWay, search, names } = held();
  const ended: string[] = [];
  for (const text of ['1', '2', '3', '4']) void search('a', text).then(() => ended.push(text));
  void storage.listEntities('a', { externalId: '5' }, { limit: 1, position: null, budgetMs: 1 });
  expect(names()).toEqual(['a 1', 'a 2']);
  void search('b', '1');
  void search('a');
  void storage.listEntities('a', { kind: 'customer' }, { limit: 1, position: null, budgetMs: 1 });
  expect(names().slice(2)).toEqual(['b 1', 'a', 'a']);
  underWay[1]?.end();
  await Bun.sleep(0);
  expect(ended).toEqual(['2']);
  expect(names().slice(5)).toEqual(['a 3']);
  for (const n of [0, 5, 6]) {
    underWay[n]?.end();
    await Bun.sleep(0);
  }
  expect(names().slice(5)).toEqual(['a 3', 'a 4', 'a 5']);
});

test('one that fails leaves its place to the next', async () => {
  const { underWay, search, names } = held();
  const all = ['1', '2', '3'].map(text => search('a', text));
  underWay[0]?.end(new Error('No.'));
  expect(all[0]).rejects.toThrow('No.');
  await Bun.sleep(0);
  expect(names()).toEqual(['a 1', 'a 2', 'a 3']);
  for (const { end } of underWay) end();
  await Promise.all(all.slice(1));
  void search('a', '4');
  expect(names()).toHaveLength(4);
});

test('when too many wait, the next is told to come again', async () => {
  const { search } = held();
  for (let n = 0; n < 102; n++) void search('a', `${n}`);
  const refused = await search('a', 'more').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Problem);
  expect(refused).toMatchObject({ code: 'rate_limited', retryAfter: 5 });
});
