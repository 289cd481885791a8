import { expect, test } from 'bun:test';
import { nextTurn } from '../../../../test/support/next-turn.ts';
import { Problem } from '../../../core/errors.ts';
import type { EventFilter } from '../../../core/stores/journal.ts';
import { withSearchLimit } from './search-limit.ts';

const PAGE = { limit: 1, below: null, budgetMs: 1 };

/** Lists that end when the test says so. */
function held(options?: { stuckAfterMs: number }) {
  const underWay: { readonly name: string; end(error?: Error): void }[] = [];
  const hold =
    <Found>(found: Found) =>
    (orgId: string, filter: { text?: string | undefined; externalId?: string | undefined }) =>
      new Promise<Found>((resolve, reject) => {
        const name = `${orgId} ${filter.text ?? filter.externalId ?? ''}`.trim();
        underWay.push({ name, end: error => (error ? reject(error) : resolve(found)) });
      });
  const { journal, entities } = withSearchLimit(
    {
      journal: {
        listEvents: hold({ events: [], next: null, searchedTo: null }),
        listEventTimes: hold({ times: [], more: false, searchedTo: null, oldest: null }),
      },
      entities: { listEntities: hold({ entities: [], next: null }) },
    },
    options,
  );
  const search = (orgId: string, text?: string, signal?: AbortSignal): Promise<unknown> => {
    const filter: EventFilter = text === undefined ? { after: 1, before: 2 } : { text };
    return journal.listEvents(orgId, filter, PAGE, signal);
  };
  const count = (orgId: string, text: string) =>
    journal.listEventTimes(orgId, { text }, { most: 1, budgetMs: 1 });
  return { entities, underWay, search, count, names: () => underWay.map(({ name }) => name) };
}

test('searches of one organisation take turns, in the order they came, and hold up nobody else', async () => {
  const { entities, underWay, search, names } = held();
  const ended: string[] = [];
  for (const text of ['1', '2', '3', '4']) void search('a', text).then(() => ended.push(text));
  void entities.listEntities('a', { externalId: '5' }, { limit: 1, position: null, budgetMs: 1 });
  expect(names()).toEqual(['a 1', 'a 2']);
  void search('b', '1');
  void search('a');
  void entities.listEntities('a', { kind: 'customer' }, { limit: 1, position: null, budgetMs: 1 });
  expect(names().slice(2)).toEqual(['b 1', 'a', 'a']);
  underWay[1]?.end();
  await nextTurn();
  expect(ended).toEqual(['2']);
  expect(names().slice(5)).toEqual(['a 3']);
  for (const n of [0, 5, 6]) {
    underWay[n]?.end();
    await nextTurn();
  }
  expect(names().slice(5)).toEqual(['a 3', 'a 4', 'a 5']);
});

test('one that fails leaves its place to the next', async () => {
  const { underWay, search, names } = held();
  const all = ['1', '2', '3'].map(text => search('a', text));
  underWay[0]?.end(new Error('No.'));
  expect(all[0]).rejects.toThrow('No.');
  await nextTurn();
  expect(names()).toEqual(['a 1', 'a 2', 'a 3']);
  for (const { end } of underWay) end();
  await Promise.all(all.slice(1));
  void search('a', '4');
  expect(names()).toHaveLength(4);
});

test('when too many wait, the next is answered to retry', async () => {
  const { search } = held();
  for (let n = 0; n < 102; n++) void search('a', `${n}`);
  const refused = await search('a', 'more').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Problem);
  expect(refused).toMatchObject({ code: 'rate_limited', retryAfter: 5 });
});

test('one that nobody waits for any more leaves the line', async () => {
  const { underWay, search, names } = held();
  const gone = new AbortController();
  for (const text of ['1', '2']) void search('a', text);
  const left = ['3', '4'].map(text => search('a', text, gone.signal).catch((error: unknown) => error));
  const stays = search('a', '5', new AbortController().signal);
  gone.abort();
  const late = search('a', '6', gone.signal).catch((error: unknown) => error);
  for (const error of await Promise.all([...left, late])) expect(error).toBeInstanceOf(Problem);
  underWay[0]?.end();
  await nextTurn();
  expect(names()).toEqual(['a 1', 'a 2', 'a 5']);
  for (const { end } of underWay) end();
  await stays;
  for (const text of ['7', '8', '9']) void search('a', text);
  expect(names().slice(3)).toEqual(['a 7', 'a 8']);
});

test('one that has waited for too long is answered to retry, and takes no turn', async () => {
  const { underWay, search, names } = held({ stuckAfterMs: 5 });
  for (const text of ['1', '2']) void search('a', text);
  expect(await search('a', '3').catch((error: unknown) => error)).toMatchObject({ code: 'rate_limited' });
  for (const { end } of underWay) end();
  await nextTurn();
  expect(names()).toEqual(['a 1', 'a 2']);
});

test('counts take turns with searches', async () => {
  const { search, count, names, underWay } = held();
  void search('a', '1');
  void count('a', '2');
  void count('a', '3');
  expect(names()).toEqual(['a 1', 'a 2']);
  underWay[0]?.end();
  await nextTurn();
  expect(names()).toEqual(['a 1', 'a 2', 'a 3']);
});
