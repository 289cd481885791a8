import { describe, expect, test } from 'bun:test';
import { scopeWith } from '../../../test/support/scope.ts';
import { type JsonObject, parseJson } from '../json/json.ts';
import { compileCondition } from './condition.ts';
import { ExpressionError } from './expression-error.ts';

const decide = (text: string, payload: JsonObject = {}, change: Parameters<typeof scopeWith>[1] = {}) =>
  compileCondition(text).evaluate(scopeWith(payload, change));

const matches = (text: string, payload: JsonObject = {}, change: Parameters<typeof scopeWith>[1] = {}) => {
  const result = decide(text, payload, change);
  if (result.kind !== 'decided') throw new Error(result.reason);
  return result.matches;
};

const note = (text: string, payload: JsonObject = {}) => {
  const result = decide(text, payload);
  return result.kind === 'decided' ? `${result.matches}: ${result.note}` : result.kind;
};

const refusal = (text: string): { message: string; position: number } => {
  try {
    compileCondition(text).check();
  } catch (error) {
    if (error instanceof ExpressionError) return { message: error.message, position: error.position };
    throw error;
  }
  throw new Error(`${text} was not refused`);
};

describe('a condition that the first edition saved, and that is refused now', () => {
  test.each([
    'event.received_at - event.timestamp > duration("1d")',
    'event.received_at > timestamp("2026-01-01")',
    'int("abc") == 1',
    'event.received_at.getHours("Mars/Olympus") > 5',
    'payload[0] == 1',
    'payload.a[true] == 1',
    'event.type in [1]',
    'payload.a + 1',
  ])('does not match where it decides, and only there: %s', text => {
    expect(() => compileCondition(text).check()).toThrow(ExpressionError);
    expect(matches(text, { a: { b: 1 } })).toBe(false);
    expect(matches(`${text} || true`, { a: { b: 1 } })).toBe(true);
  });
});

describe('a condition reads', () => {
  test('every name that there is', () => {
    expect(matches('event.type == "order.created" && event.icon == "🛒"')).toBe(true);
    expect(matches('event.id.startsWith("evt_") && event.sender_id == "order-1"')).toBe(true);
    expect(matches('event.received_at - event.timestamp == duration("1m")')).toBe(true);
    expect(matches('event.received_at > timestamp("2026-01-31T11:00:00Z")')).toBe(true);
    expect(matches('labels.severity == "high"', {}, { labels: { severity: 'high' } })).toBe(true);
    expect(matches('entity.kind == "customer" && entity.external_id == "c-1"')).toBe(true);
    expect(matches('entity.traits.plan == "pro"')).toBe(true);
    expect(matches('source.name == "Shop"')).toBe(true);
    expect(matches('payload.a.b[1]["x.y"] == 1', { a: { b: [0, { 'x.y': 1 }] } })).toBe(true);
  });

  test('what is absent as absent, and says so', () => {
    expect(note('payload.customer.id == 1')).toBe('false: payload.customer is absent');
    expect(note('payload.items[3] == 1', { items: [] })).toBe('false: payload.items[3] is absent');
    expect(note('event.icon == "x" || entity.traits.plan == "x"')).toBe('false: undefined');
    const bare = { event: { icon: null, entity: null, senderId: null }, traits: null, sourceName: null };
    for (const name of ['event.icon', 'event.sender_id', 'entity.kind', 'entity.traits', 'source.name'])
      expect(matches(`has(${name})`, {}, bare)).toBe(false);
    expect(
      matches('has(payload.a) && !has(payload.b) && !has(payload.b.c) && !has(payload.a.b)', { a: 1 }),
    ).toBe(true);
  });

  test('a field named like a prototype as data', () => {
    expect(note(`payload["a${'😀'.repeat(40)}"] == 1`)).toBe(
      `false: payload["a${'😀'.repeat(34)}… is absent`,
    );
    expect(note('payload.constructor != null')).toBe('false: payload.constructor is absent');
    expect(note('payload["__proto__"] != null')).toBe('false: payload["__proto__"] is absent');
    expect(matches('payload["__proto__"].x == 1', parseJson('{"__proto__":{"x":1}}') as JsonObject)).toBe(
      true,
    );
  });
});

describe('errors are absorbed as CEL absorbs them', () => {
  test('by a side that decides', () => {
    expect(matches('true || payload.absent')).toBe(true);
    expect(matches('payload.absent || true')).toBe(true);
    expect(matches('!(payload.absent && false)')).toBe(true);
    expect(matches('[1, 2].exists(n, n == 2 || payload.absent == n)')).toBe(true);
    expect(matches('!["a", 1].all(n, n > 5)')).toBe(true);
  });

  test('and by nothing else', () => {
    expect(note('payload.absent || false')).toBe('false: payload.absent is absent');
    expect(note('!payload.absent')).toBe('false: payload.absent is absent');
    expect(note('payload.absent ? true : true')).toBe('false: payload.absent is absent');
  });

  test('a type mismatch does not match, and says why', () => {
    expect(note('payload.a > 5', { a: 'x' })).toBe(
      'false: payload.a > 5: does not go with text and a number',
    );
    expect(note('payload.a.b == 1', { a: 'x' })).toContain('payload.a is text, which has no fields');
    expect(note('payload.a && true', { a: 1 })).toContain('payload.a: is a number, not true or false');
    expect(note('payload.a', { a: 'yes' })).toBe('false: the condition is text, not true or false');
    expect(note('payload.a.startsWith("x")', { a: 5 })).toContain('startsWith() does not go with a number');
    expect(note('payload.a / 0 == 1', { a: 5 })).toContain('a division by zero');
  });

  test('but values of different types are simply not equal', () => {
    expect(matches('payload.a == "5"', { a: 5 })).toBe(false);
    expect(matches('payload.a != "5" && payload.n == null && payload.a != null', { a: 5, n: null })).toBe(
      true,
    );
    expect(matches('"a" in payload.list && !(2 in payload.list)', { list: [1, 'a', null] })).toBe(true);
  });
});

describe('numbers', () => {
  test('compare and compute whatever they are written as', () => {
    const payload = { int: 5, half: 2.5 };
    for (const text of [
      'payload.int == 5 && payload.int == 5.0 && 1 == 1.0',
      'payload.int + 1 == 6 && payload.int + payload.half == 7.5 && 1 + 0.5 == 1.5',
      'payload.half < 3 && payload.half > 2.4 && 3 > payload.half',
      'payload.int * 2 == 10 && payload.int - 0.5 == 4.5 && -payload.int == -5',
      'payload.int / 2 == 2.5 && 5 / 2 == 2 && payload.int % 2 == 1',
      'payload.int in [1.0, 5.0] && [payload.int] == [5]',
      'int(payload.half) == 2 && double("2.5") == payload.half && string(payload.int) == "5"',
    ])
      expect([text, matches(text, payload)]).toEqual([text, true]);
  });

  test('beyond 2^53 are exact', () => {
    const payload = parseJson(
      '{"big":9007199254740993,"safe":9007199254740991,"two":2,"huge":123456789012345678901234567890}',
    ) as JsonObject;
    for (const text of [
      'payload.big == 9007199254740993 && payload.big != 9007199254740992',
      'payload.big > payload.safe && payload.big > 9007199254740992.0 && payload.big < 9007199254740994.0',
      'payload.safe + payload.two == payload.big && payload.big - payload.two == payload.safe',
      'payload.safe * payload.safe == 81129638414606663681390495662081',
      'payload.big + 1 == 9007199254740994 && payload.big % 2 == 1',
      'payload.huge == 123456789012345678901234567890 && payload.huge > payload.big',
      'payload.huge + payload.big == 123456789012354686100489308883',
      'payload.big in [9007199254740993] && !(payload.big in [9007199254740992])',
      'string(payload.big) == "9007199254740993" && int("9007199254740993") == payload.big',
    ])
      expect([text, matches(text, payload)]).toEqual([text, true]);
  });

  test('that could only be rounded give no answer', () => {
    const payload = { big: 9007199254740993n };
    expect(note('payload.big + 0.5 > 0', payload)).toContain('cannot be computed exactly');
    expect(note('double(payload.big) > 0', payload)).toContain('too large for a double');
    const squares = Array.from({ length: 12 }, (_, i) => `cel.bind(b${i + 1}, b${i} * b${i}, `).join('');
    expect(note(`cel.bind(b0, payload.big, ${squares}b12 > 1${')'.repeat(13)}`, payload)).toContain(
      'too large to compute with',
    );
  });
});

describe('functions', () => {
  test('of text count characters, not their halves', () => {
    for (const text of [
      'payload.t.size() == 3 && size(payload.t) == 3',
      'payload.t.substring(1) == "😀b" && payload.t.substring(0, 2) == "a😀"',
      'payload.t.indexOf("b") == 2 && payload.t.lastIndexOf("a") == 0 && payload.t.indexOf("x") == -1',
      'payload.t.split("") == ["a", "😀", "b"] && payload.t.split("😀").join("-") == "a-b"',
      '"ÄB".lowerAscii() == "Äb" && " x ".trim() == "x" && payload.t.contains("😀")',
      '"a,b,c".split(",", 2) == ["a", "b,c"] && "abc".endsWith("bc")',
    ])
      expect([text, matches(text, { t: 'a😀b' })]).toEqual([text, true]);
  });

  test('of text take no position outside of it, whatever characters it holds', () => {
    for (const t of ['abc', 'a😀b'])
      for (const text of ['substring(0, -1)', 'substring(-1)', 'substring(2, 1)', 'charAt(-1)'])
        expect([t, text, note(`payload.t.${text} == ""`, { t })]).toEqual([
          t,
          text,
          expect.stringContaining('a position lies outside the text'),
        ]);
  });

  test('of time know time zones', () => {
    for (const text of [
      'event.received_at.getFullYear() == 2026 && event.received_at.getMonth() == 0',
      'event.received_at.getDate() == 31 && event.received_at.getDayOfMonth() == 30',
      'event.received_at.getHours() == 12 && event.received_at.getHours("America/New_York") == 7',
      'event.received_at.getDayOfWeek() == 6 && event.received_at.getDayOfYear() == 30',
      'event.received_at + duration("1h30m") == timestamp("2026-01-31T14:30:00+01:00")',
      'duration("90m").getHours() == 1 && duration("90m").getMinutes() == 90',
      'event.received_at.getHours("02:00") == 14 && event.received_at.getHours("-00:30") == 11',
      'duration("1h") + event.timestamp == event.timestamp + duration("1h")',
      'string(event.received_at) == "2026-01-31T12:00:00Z" && string(duration("1h")) == "3600s"',
      'int(event.timestamp) == 1769860740 && timestamp(event.timestamp) == event.timestamp',
    ])
      expect([text, matches(text)]).toEqual([text, true]);
    expect(note('event.received_at.getHours(payload.z) == 1', { z: 'Mars/Olympus' })).toContain(
      'no such time zone',
    );
    expect(note('timestamp(payload.t) > event.received_at', { t: 'soon' })).toContain('RFC 3339');
  });

  test('of lists and maps', () => {
    const payload = { items: [{ qty: 1 }, { qty: 3 }], map: { a: 1, b: 2 } };
    for (const text of [
      'payload.items.exists(i, i.qty > 2) && !payload.items.all(i, i.qty > 2)',
      'payload.items.exists_one(i, i.qty == 3) && payload.items.map(i, i.qty) == [1, 3]',
      'payload.items.filter(i, i.qty > 1).size() == 1 && payload.items.map(i, i.qty > 1, i.qty * 2) == [6]',
      'payload.map.exists(k, payload.map[k] == 2) && "a" in payload.map && size(payload.map) == 2',
      'payload.map == {"b": 2, "a": 1} && [1] + [2] == [1, 2]',
      'payload.items.exists(i, payload.items.exists(j, j.qty == i.qty + 2))',
      'has({"a": 1}.a) && !has({"a": 1}.b) && has(payload["map"].a) && !has(payload.map["x-y"])',
      '[1] == [1.0] && ![].exists(e, e == 2) && [].all(e, e > 2) && [].map(e, e + 1) == []',
      'cel.bind(x, 1, cel.bind(y, 2, cel.bind(x, 3, cel.bind(z, 4, x + y + z == 9)) && x == 1))',
    ])
      expect([text, matches(text, payload)]).toEqual([text, true]);
  });

  test('re2 looks for a pattern anywhere in a text', () => {
    expect(matches('re2(payload.t, "^[A-Z]{2}-\\\\d+$")', { t: 'AB-12' })).toBe(true);
    expect(matches('re2(payload.t, r"(?i)REFUND|chargeback")', { t: 'a refund' })).toBe(true);
    expect(matches('re2(payload.t, "x")', { t: 'a' })).toBe(false);
    expect(note('re2(payload.t, "x")', { t: 5 })).toContain('re2() looks at text');
  });
});

describe('a condition is refused when it is saved', () => {
  const refused: [string, string, number][] = [
    ['', 'An expression is expected', 0],
    ['payload.a ==', 'ends too early', 12],
    ['payload.a = 1', 'Unexpected character', 10],
    ['payload.in == 1', 'write ["in"] instead', 8],
    ['pyload.a == 1', 'Unknown variable: pyload; there are event, payload', 0],
    ['type == "a"', 'write event.type', 0],
    ['google.protobuf == payload.a', 'Unknown variable: google', 0],
    ['event.tpye == "a"', 'There is no field "tpye"', 6],
    ['payload.a.matches("x")', 'use re2(text, pattern)', 0],
    ['re2(payload.a, payload.b)', 'takes its pattern as a literal', 15],
    ['re2(payload.a, "(")', 'not an RE2 pattern', 15],
    [`re2(payload.a, "${'x'.repeat(1_001)}")`, 'at most 1000 characters', 15],
    ['re2(payload.a, "((a{100}){100}){100}")', 'not an RE2 pattern', 15],
    ['event.type + "x"', 'must be true or false', 0],
    ['nope(payload.a)', 'nope() is not supported', 0],
    ['type(payload.a) == string', 'type', 0],
    ['payload.a == b"x"', 'Bytes', 13],
    ['payload.a == "\\u0000"', 'NUL', 13],
    ['payload.a == "x', 'Unterminated', 13],
    ['a'.repeat(5_000), 'at most 4096 characters', 4_096],
    [`${'('.repeat(200)}true${')'.repeat(200)}`, 'may be nested 64 levels deep', 64],
    [`payload.a in [${'1,'.repeat(600)}1]`, 'A list may hold at most 500 values', 1_014],
    ['payload.', 'ends too early', 8],
    ['payload.a == (1', 'ends too early', 15],
    ['payload[1 == 2', 'ends too early', 14],
    ['(payload.a == 1]', 'A ")" is missing here', 15],
    ['payload.1', 'A name is missing here', 8],
    ['payload.(a)', 'A name is missing here', 8],
    ['payload.a == )', '")" is not allowed here', 13],
    ['payload.a == == 1', '"==" is not allowed here', 13],
    ['1 + "a" == payload.a', '+ does not go with a number and text', 0],
    ['event.received_at.getHours("Mars/Olympus") == 1', 'no such time zone', 27],
    ['event.received_at > timestamp("soon")', 'is not an RFC 3339 time', 30],
    ['duration("5 minutes") < duration("1h")', 'is not a duration', 9],
    ['event.type == 5', 'Text never equals a number', 0],
    ['event.type in [1, 2]', 'Text never equals a number', 0],
    ['event["tpye"] == "a"', 'There is no field "tpye"', 6],
    ['event.type.name == "a"', 'Text has no fields', 11],
    ['event.type[0] == "a"', 'Text has no [a number]', 0],
    ['event.type && true', 'This must be true or false, and is text', 0],
    ['!event.type', 'This must be true or false, and is text', 1],
    ['"abc".exists(c, c == "a")', 'exists() does not go with text', 0],
    ['[1].exists(n, n + 1)', 'This must be true or false, and is a number', 14],
    ['{1: 2} == payload', 'A key must be text, and this is a number', 1],
    ['size(event.type, 1) == 1', 'size() takes 1 argument, not 2', 0],
    ['contains(event.type, "a")', 'contains() is a method: write value.contains()', 0],
    ['event.type.string() == "a"', 'string() is no method: write string(value)', 0],
    ['has(payload)', 'has() takes a field', 4],
    ['payload.?a == 1', 'Optional fields are not supported', 8],
    ['payload.a == 1u', 'Unsigned integers are not supported', 14],
    ['payload.a == "\\q"', 'This is not an escape sequence', 14],
    ['payload.a b', '"b" is not allowed here', 10],
    ['payload.a == while', '"while" is a reserved word in CEL', 13],
  ];
  for (const [text, message, position] of refused) {
    test(`${text.slice(0, 40) || '(empty)'}`, () => {
      const found = refusal(text);
      expect(found.message).toContain(message);
      expect(found.position).toBe(position);
    });
  }

  test('macros nested deeper than three levels', () => {
    const nested = (levels: number): string =>
      levels === 0 ? 'true' : `payload.l.all(x${levels}, ${nested(levels - 1)})`;
    expect(matches(nested(3), { l: [1] })).toBe(true);
    expect(refusal(nested(4)).message).toContain('3 levels deep');
    expect(matches('payload.l.map(x, x).filter(x, x > 0).map(x, x).all(x, x > 0)', { l: [1] })).toBe(true);
  });
});

describe('traits are asked for only where they are read', () => {
  test.each([
    ['entity.traits.plan == "pro"', true],
    ['has(entity.traits)', true],
    ['entity.kind == "customer" && entity.external_id != ""', false],
    ['payload.entity == 1', false],
  ])('%s', (text, reads) => {
    expect(compileCondition(text).readsTraits).toBe(reads);
  });
});
