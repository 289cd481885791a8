import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type JsonObject, parseJson, stringifyJson } from '../json/json.ts';
import { Budget } from './cel/budget.ts';
import { ExpressionError } from './expression-error.ts';
import { type Copies, formatPath, getPath, type Path, parsePath, removePaths, setPath } from './path.ts';

const set = (root: JsonObject, path: string, value: Parameters<typeof setPath>[2]) => {
  const result = setPath(root, parsePath(path), value);
  return result.kind === 'set' ? result.root : result.reason;
};

const remove = (root: JsonObject, ...paths: Path[]) => removePaths(root, paths, new Budget());

describe('a path', () => {
  test.each([
    ['a', ['a']],
    ['a.b.c', ['a', 'b', 'c']],
    ['items[0].sku', ['items', 0, 'sku']],
    ['a["x.y"].z', ['a', 'x.y', 'z']],
    ['["a b"][2]', ['a b', 2]],
    ['über-id.$x', ['über-id', '$x']],
    ['a["\\"]"]', ['a', '"]']],
    ['__proto__.x', ['__proto__', 'x']],
  ])('%s', (text, segments) => {
    expect(parsePath(text)).toEqual(segments);
  });

  test.each([
    ['', 0],
    ['.a', 0],
    ['a.', 2],
    ['a..b', 2],
    ['a[', 1],
    ['a[x]', 1],
    ['a[-1]', 1],
    ['a["x]', 1],
    ['a b', 1],
    ['a.[0]', 2],
    [Array(65).fill('a').join('.'), 127],
  ])('that is none is refused at its character: %s', (text, position) => {
    try {
      parsePath(text);
      throw new Error('it was not refused');
    } catch (error) {
      expect(error).toBeInstanceOf(ExpressionError);
      expect((error as ExpressionError).position).toBe(position);
    }
  });

  test('reads again as it was written', () => {
    const segment = fc.oneof(fc.string({ minLength: 1 }), fc.nat(999_999));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 10 }), path => {
        expect(parsePath(formatPath(path))).toEqual(path);
      }),
    );
  });
});

describe('getting', () => {
  const root = { a: { b: [1, { c: null }] } };
  test('finds what is there, and nothing else', () => {
    expect(getPath(root, parsePath('a.b[1].c'))).toBeNull();
    for (const path of [
      'a.x',
      'a.b[2]',
      'a.b.length',
      'a.b.c',
      'a.b[0].x',
      'constructor',
      'a.__proto__',
      'a[0]',
    ])
      expect(getPath(root, parsePath(path))).toBeUndefined();
  });
});

describe('setting', () => {
  test('makes what is missing on the way and leaves the original alone', () => {
    const root: JsonObject = { a: { b: 1 }, other: { x: 1 } };
    const changed = set(root, 'a.c.d', 2) as JsonObject;
    expect(changed).toEqual({ a: { b: 1, c: { d: 2 } }, other: { x: 1 } });
    expect(root).toEqual({ a: { b: 1 }, other: { x: 1 } });
    expect(changed.other).toBe(root.other as JsonObject);
    expect(set({ a: null }, 'a.b', 1)).toEqual({ a: { b: 1 } });
  });

  test('lets a list grow by one at its end', () => {
    expect(set({}, 'a[0].b', 1)).toEqual({ a: [{ b: 1 }] });
    expect(set({ a: [1] }, 'a[1]', 2)).toEqual({ a: [1, 2] });
    expect(set({ a: [1] }, 'a[3]', 2)).toBe('a has 1 items, so it has no [3]');
  });

  test('several times over copies what it touches once, and never what somebody else has', () => {
    const shared: JsonObject = { x: 1 };
    const root: JsonObject = { a: shared, list: [1, 2] };
    const copies: Copies = new Set();
    let changed: JsonObject = root;
    const seen: unknown[] = [];
    for (const [path, value] of [
      ['a.y', 2],
      ['b', shared],
      ['b.z', 3],
      ['a.w', 4],
      ['list[2]', 5],
    ] as const) {
      const result = setPath(changed, parsePath(path), value, copies);
      if (result.kind === 'set') changed = result.root;
      seen.push(changed);
    }
    expect(changed).toEqual({ a: { x: 1, y: 2, w: 4 }, b: { x: 1, z: 3 }, list: [1, 2, 5] });
    expect(new Set(seen).size).toBe(1);
    expect(root).toEqual({ a: { x: 1 }, list: [1, 2] });
    expect(shared).toEqual({ x: 1 });
  });

  test('does not overwrite what stands in the way', () => {
    expect(set({ a: 'text' }, 'a.b', 1)).toBe('a holds a string');
    expect(set({ a: [] }, 'a.b', 1)).toBe('a is a list, which has no field b');
    expect(set({ a: {} }, 'a[0]', 1)).toBe('a is an object, which has no [0]');
  });

  test('a field named __proto__ changes no prototype', () => {
    const changed = set({}, '__proto__.polluted', true) as JsonObject;
    expect(stringifyJson(changed)).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
    expect(({} as JsonObject).polluted).toBeUndefined();
    const nested = set(parseJson('{"__proto__":{"a":1}}') as JsonObject, 'constructor.prototype.x', 1);
    expect(stringifyJson(nested)).toBe('{"__proto__":{"a":1},"constructor":{"prototype":{"x":1}}}');
    expect(stringifyJson(remove(changed, ['__proto__', 'polluted']))).toBe('{"__proto__":{}}');
  });
});

describe('removing', () => {
  test('answers the same object where there is nothing to remove', () => {
    const root: JsonObject = { a: { b: [1] } };
    for (const path of ['x', 'a.x', 'a.b[1]', 'a.b.c', 'a.b[0].c'])
      expect(remove(root, parsePath(path))).toBe(root);
  });

  test('closes up a list, and counts several in the payload as it was', () => {
    const root: JsonObject = { a: [0, 1, 2, 3], b: { c: 1, d: 2 } };
    const paths = ['a[0]', 'b.c', 'a[2]', 'a[1]'].map(parsePath);
    expect(remove(root, ...paths)).toEqual({ a: [3], b: { d: 2 } });
    expect(remove(root, ...paths.toReversed())).toEqual({ a: [3], b: { d: 2 } });
    expect(root.a).toEqual([0, 1, 2, 3]);
  });

  test('from what stands in two places takes it out of one', () => {
    const shared: JsonObject = { x: 1, y: [1, 2] };
    const root: JsonObject = { a: shared, b: shared };
    expect(remove(root, ['a', 'x'], ['a', 'y', 0], ['b', 'y', 1])).toEqual({
      a: { y: [2] },
      b: { x: 1, y: [1] },
    });
    expect(shared).toEqual({ x: 1, y: [1, 2] });
  });
});
