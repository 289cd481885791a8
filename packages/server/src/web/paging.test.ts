import { expect, test } from 'bun:test';
import { listQuery } from '@sluice/contract/paging';
import fc from 'fast-check';
import { validate } from '../core/http/validate.ts';
import { createVault } from '../core/secrets/vault.ts';
import { createCursors, pageOf } from './paging.ts';

const cursors = createCursors(createVault('a secret key for tests, 32 characters or more'));

test('a cursor gives back its position, whatever that holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), position => {
      const cursor = cursors.issue('list', position);
      expect(cursor).toMatch(/^[\w.-]+$/);
      expect(cursors.read('list', cursor)).toBe(position);
    }),
  );
});

test('a cursor that was altered in any one character is refused', () => {
  const cursor = cursors.issue('list', 'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV');
  for (let i = 0; i < cursor.length; i++) {
    for (const other of ['A', 'B', '0', '.', '']) {
      const altered = cursor.slice(0, i) + other + cursor.slice(i + 1);
      if (altered !== cursor) expect(() => cursors.read('list', altered)).toThrow('not issued');
    }
  }
});

test('a cursor of another list, of another key, or made up is refused', () => {
  const others = createCursors(createVault('another secret key for tests, also long enough'));
  const made = [
    cursors.issue('other list', 'x'),
    others.issue('list', 'x'),
    '',
    '.',
    'x',
    `${Buffer.from('x').toString('base64url')}.`,
  ];
  for (const cursor of made) expect(() => cursors.read('list', cursor)).toThrow('not issued');
});

test('a limit is a whole number from 1 to 100, and 50 where none is given', () => {
  const limitOf = (limit?: string) => validate(listQuery, limit === undefined ? {} : { limit }).limit;
  expect([limitOf(), limitOf('1'), limitOf('100')]).toEqual([50, 1, 100]);
  for (const bad of ['0', '-1', '101', '1e9', '1e1', 'abc', '', ' 5', '5.0', '0x10', '１']) {
    expect(() => limitOf(bad)).toThrow('limit must be a whole number from 1 to 100.');
  }
});

test('pages put together are the whole list once, while rows come and go elsewhere', () => {
  const order = { keyOf: (row: string) => row, direction: 'descending' } as const;
  const rows = ['e', 'd', 'c', 'b', 'a'];
  const first = pageOf(rows, order, { limit: 2, position: null });
  expect(first).toEqual({ rows: ['e', 'd'], next: 'd' });
  const second = pageOf(['f', 'e', 'c', 'b', 'a'], order, { limit: 2, position: first.next });
  expect(second).toEqual({ rows: ['c', 'b'], next: 'b' });
  expect(pageOf(rows, order, { limit: 2, position: second.next })).toEqual({ rows: ['a'], next: null });
  expect(pageOf(rows, { ...order, direction: 'descending' }, { limit: 5, position: null }).next).toBeNull();
  const upwards = { ...order, direction: 'ascending' } as const;
  expect(pageOf(['a', 'b', 'c'], upwards, { limit: 1, position: 'a' })).toEqual({ rows: ['b'], next: 'b' });
});
