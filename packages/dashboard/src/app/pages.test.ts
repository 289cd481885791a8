import { expect, test } from 'bun:test';
import { navigation } from './pages.ts';

test('each page of the side bar has a key of its own, and the pages of a group stand together', () => {
  expect(new Set(navigation.map(({ key }) => key)).size).toBe(navigation.length);
  const groups = navigation.map(({ group }) => group);
  const changes = groups.filter((group, index) => group !== groups[index - 1]);
  expect(changes).toEqual([...new Set(groups)]);
});
