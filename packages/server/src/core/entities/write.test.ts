import { describe, expect, test } from 'bun:test';
import { applyWrite, type EntityState, type EntityWrite, isMatch } from './write.ts';

const write = (traits: string, given: Partial<EntityWrite> = {}): EntityWrite => ({
  kind: 'customer',
  externalId: '1',
  mode: 'merge',
  traits,
  ifMatch: null,
  changed: 5_000_001,
  ...given,
});

const state: EntityState = {
  traits: '{"a":1,"b":{"c":2}}',
  traitTimes: '{"a":1000001,"b":1000002}',
  version: 7,
  createdAt: 1_000,
  changed: 1_000_002,
};

describe('what a write makes of an entity', () => {
  test('counts a trait as written when a write names it, with whatever value', () => {
    const after = applyWrite(state, write('{"a":1}'));
    expect(after).toEqual({
      ...state,
      traitTimes: '{"a":5000001,"b":1000002}',
      version: 8,
      changed: 5_000_001,
    });
    expect(applyWrite(state, write('{"b":{"d":1}}'))).toMatchObject({
      traits: '{"a":1,"b":{"c":2,"d":1}}',
      traitTimes: '{"a":1000001,"b":5000001}',
    });
  });

  test('drops the time of a trait once the trait is gone', () => {
    expect(applyWrite(state, write('{"a":null,"x":null}'))).toMatchObject({
      traits: '{"b":{"c":2}}',
      traitTimes: '{"b":1000002}',
    });
    expect(applyWrite(state, write('{"x":null}', { mode: 'replace' }))).toMatchObject({
      traits: '{"x":null}',
      traitTimes: '{"x":5000001}',
    });
  });

  test('keeps times of keys that have names of the language', () => {
    const after = applyWrite(null, write('{"__proto__":1,"constructor":2}'));
    expect(after).toMatchObject({ traitTimes: '{"__proto__":5000001,"constructor":5000001}' });
  });

  test('begins at version 1, with the moment of its first write', () => {
    expect(applyWrite(null, write('{}'))).toMatchObject({ version: 1, createdAt: 5_000, changed: 5_000_001 });
  });

  test('refuses in this order: nothing there to patch, another version, too large', () => {
    const large = JSON.stringify({ a: 'x'.repeat(65_536) });
    expect(applyWrite(null, write(large, { mode: 'patch', ifMatch: 3 }))).toBe('not_found');
    expect(applyWrite(state, write(large, { mode: 'patch', ifMatch: 3 }))).toBe('version_conflict');
    expect(applyWrite(state, write(large, { mode: 'patch', ifMatch: 7 }))).toBe('too_large');
  });

  test('refuses what is too long to be merged, whatever would come of it, by its bytes', () => {
    const gone = (bytes: number) =>
      `{"é":null,"${'x'.repeat(bytes - '{"é":null,"":null}'.length - 1)}":null}`;
    for (const mode of ['merge', 'patch'] as const) {
      expect(applyWrite(state, write(gone(262_144), { mode }))).toMatchObject({ traits: state.traits });
      expect(applyWrite(state, write(gone(262_145), { mode }))).toBe('patch_too_large');
    }
    expect(applyWrite(state, write(gone(262_145), { mode: 'replace' }))).toBe('too_large');
  });
});

test('a version matches itself, * whatever is there, and null everything', () => {
  expect([isMatch(3, 3), isMatch(3, 4), isMatch(null, 3)]).toEqual([true, false, false]);
  expect([isMatch(3, '*'), isMatch(null, '*')]).toEqual([true, false]);
  expect([isMatch(3, null), isMatch(null, null)]).toEqual([true, true]);
});
