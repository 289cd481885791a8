import { describe, expect, test } from 'bun:test';
import { matchesTraits, readTraitPath } from './trait.ts';

describe('the path of a trait', () => {
  test('reads like any path', () => {
    expect(readTraitPath('address.city')).toEqual(['address', 'city']);
    expect(readTraitPath('tags[0]')).toEqual(['tags', 0]);
    expect(readTraitPath('["x.y"]')).toEqual(['x.y']);
  });

  test('is taken literally, dot by dot, where it reads like none', () => {
    expect(readTraitPath('first name.x')).toEqual(['first name', 'x']);
    expect(readTraitPath(`a"b`)).toEqual(['a"b']);
    expect(readTraitPath('a[')).toEqual(['a[']);
    expect(readTraitPath('')).toEqual(['']);
  });
});

test('every filter has to match', () => {
  const filter = (path: string, text: string) => ({ path: readTraitPath(path), text });
  const traits = '{"plan":"pro","seats":5,"first name":"Ada"}';
  expect(matchesTraits(traits, [])).toBe(true);
  expect(matchesTraits(traits, [filter('plan', 'pro'), filter('seats', '5')])).toBe(true);
  expect(matchesTraits(traits, [filter('plan', 'pro'), filter('seats', '6')])).toBe(false);
  expect(matchesTraits(traits, [filter('first name', 'Ada')])).toBe(true);
  expect(matchesTraits(traits, [filter('toString', 'function toString() { [native code] }')])).toBe(false);
});
