import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { jsonValues } from '../../../test/support/json-values.ts';
import { Problem } from '../errors.ts';
import {
  type Json,
  joinPath,
  longerThan,
  mayHoldUnstorableText,
  parseJson,
  requireNesting,
  requireStorableText,
  stringifyJson,
} from './json.ts';

const problemOf = (act: () => unknown): { code: string; path: string | undefined } => {
  try {
    act();
  } catch (error) {
    if (error instanceof Problem) return { code: error.code, path: error.path };
    throw error;
  }
  throw new Error('nothing was refused');
};

const deep = (levels: number): Json => (levels === 1 ? [] : [deep(levels - 1)]);

describe('parsing', () => {
  test('any value is read back as it was written', () => {
    fc.assert(
      fc.property(jsonValues, value => {
        expect(parseJson(stringifyJson(value))).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  test('an integer is exact at any size, wherever it stands', () => {
    const integers = fc.bigInt({ min: -(10n ** 300n), max: 10n ** 300n });
    fc.assert(
      fc.property(integers, n => {
        const read = parseJson(`{"a":[1,{"b":${n}}]}`) as { a: [number, { b: number | bigint }] };
        expect(BigInt(read.a[1].b)).toBe(n);
        expect(typeof read.a[1].b).toBe(Number.isSafeInteger(Number(n)) ? 'number' : 'bigint');
        expect(stringifyJson(read)).toBe(`{"a":[1,{"b":${n}}]}`);
      }),
    );
  });

  test('digits inside a text stay a text, whatever stands around them', () => {
    const pieces = fc.constantFrom('"', '\\', ',', ':', '[', ' ', 'e', '.', '-', '9007199254740993', '\\"');
    const texts = fc.array(pieces, { maxLength: 12 }).map(parts => parts.join(''));
    const values = fc.array(fc.oneof(texts, fc.constant(9007199254740993n), fc.dictionary(texts, texts)));
    fc.assert(
      fc.property(values, value => {
        expect(parseJson(stringifyJson(value))).toEqual(value as Json);
      }),
      { numRuns: 500 },
    );
  });

  test('it agrees with JSON.parse on every text without long numbers', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), text => {
        fc.pre(!/\d{16}|[eE][+-]?\d{3}/.test(text));
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('it refuses what is no JSON, with and without long numbers', () => {
    for (const text of ['', '{', '{"a":01}', '[1,]', 'undefined', '12345678901234567890x', '1e999}']) {
      expect(problemOf(() => parseJson(text)).code).toBe('invalid_json');
    }
  });

  test('it names the number that a double cannot hold', () => {
    const refused = { code: 'validation_failed', path: 'a[1].b' };
    for (const number of ['1e999', '-1e309', '1E+400', `${'9'.repeat(400)}`, `${'9'.repeat(400)}.5`]) {
      expect(problemOf(() => parseJson(`{"a":[0,{"b":${number}}]}`))).toEqual(refused);
    }
  });

  test('the smallest numbers are read, not refused', () => {
    expect(parseJson('[1e-999,5e-324,1.7976931348623157e308]')).toEqual([0, 5e-324, Number.MAX_VALUE]);
  });

  test('doubled keys: the last one counts, in its own exactness', () => {
    expect(parseJson('{"a":12345678901234567890,"a":2}')).toEqual({ a: 2 });
    expect(parseJson('{"a":{"b":12345678901234567890},"a":{"b":2}}')).toEqual({ a: { b: 2 } });
  });

  test('__proto__ is a key like any other', () => {
    for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":12345678901234567890}}']) {
      const read = parseJson(text) as Record<string, unknown>;
      expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
      expect(Object.keys(read)).toEqual(['__proto__']);
      expect(read.x).toBeUndefined();
      expect(stringifyJson(read)).toBe(text);
    }
  });

  test('nesting that would exhaust the stack of the exact path is refused before it', () => {
    const text = `[12345678901234567890,${'['.repeat(400_000)}${']'.repeat(400_000)}]`;
    expect(problemOf(() => parseJson(text)).code).toBe('validation_failed');
  });
});

describe('what is refused is named', () => {
  const messageOf = (act: () => unknown) => {
    try {
      act();
    } catch (error) {
      return error instanceof Problem ? error.message : error;
    }
  };

  test('with its path where there is one', () => {
    expect(messageOf(() => parseJson('{"events":[{"n":1e999}]}'))).toBe(
      'events[0].n is a number beyond the range of a double.',
    );
    expect(messageOf(() => requireStorableText({ a: ['\0'] }, 'payload'))).toBe(
      'payload.a[0] may hold neither NUL characters nor lone surrogates.',
    );
    expect(messageOf(() => requireNesting(deep(3), 2, 'traits'))).toBe('traits may be nested 2 levels deep.');
  });

  test('and as the body as a whole where there is none', () => {
    expect(messageOf(() => parseJson('1e999'))).toBe('The body is a number beyond the range of a double.');
    expect(messageOf(() => requireStorableText({ '\0': 1 }, ''))).toBe(
      'The body may hold neither NUL characters nor lone surrogates.',
    );
    expect(messageOf(() => requireNesting(deep(3), 2, ''))).toBe('The body may be nested 2 levels deep.');
  });
});

describe('nesting', () => {
  test('the limit itself passes, one level more does not', () => {
    requireNesting(deep(64), 64, 'p');
    expect(problemOf(() => requireNesting(deep(65), 64, 'p'))).toEqual({
      code: 'validation_failed',
      path: 'p',
    });
    requireNesting({ a: { b: [1, 'x', null] } }, 3, 'p');
    expect(problemOf(() => requireNesting({ a: { b: [[]] } }, 3, 'p')).path).toBe('p');
  });
});

describe('text that a database could not hold', () => {
  test('is found in any string and any key', () => {
    fc.assert(
      fc.property(jsonValues, fc.constantFrom('\0', '\ud800', 'a\udfff', '\udc00\ud800'), (value, bad) => {
        requireStorableText(value, '');
        expect(problemOf(() => requireStorableText([value, bad], 'root')).path).toBe('root[1]');
        expect(problemOf(() => requireStorableText({ a: value, [bad]: 1 }, 'root')).path).toBe('root');
      }),
    );
  });

  test('can only come in through an escape', () => {
    expect(mayHoldUnstorableText('{"s":"\\u0000"}')).toBe(true);
    expect(mayHoldUnstorableText('{"s":"\\n plain ü🦊"}')).toBe(false);
  });
});

test('paths read as one would write them', () => {
  expect(joinPath('', 'events')).toBe('events');
  expect(joinPath('events', 2)).toBe('events[2]');
  expect(joinPath('events[2]', 'type')).toBe('events[2].type');
  expect(joinPath('payload', 'a.b')).toBe('payload["a.b"]');
  expect(joinPath('', '')).toBe('[""]');
});

test('a character is a code point', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.nat(20), (text, most) => {
      expect(longerThan(text, most)).toBe([...text].length > most);
    }),
  );
});
