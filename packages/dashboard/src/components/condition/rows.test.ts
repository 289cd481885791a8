import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Literal, readLiteral, showLiteral } from './row-text.ts';
import { fromCondition, type JoinedRows, type Operator, operators, type Row, toCondition } from './rows.ts';

const text = (value: string): Literal => ({ kind: 'text', text: value });
const word = (value: string): Literal => ({ kind: 'word', text: value });

describe('rows write', () => {
  const cases: [Row, string][] = [
    [{ field: 'payload.total', operator: '>=', values: [word('100')] }, 'payload.total >= 100'],
    [{ field: 'event.type', operator: '==', values: [text('a "b"')] }, 'event.type == "a \\"b\\""'],
    [{ field: 'payload.x', operator: 'in', values: [text('a'), word('2')] }, 'payload.x in ["a", 2]'],
    [{ field: 'payload.x', operator: '!in', values: [text('a')] }, '!(payload.x in ["a"])'],
    [
      { field: 'payload["in"][0]', operator: '!contains', values: [text('x')] },
      '!payload["in"][0].contains("x")',
    ],
    [{ field: 'labels.severity', operator: 're2', values: [text('^h')] }, 're2(labels.severity, "^h")'],
    [{ field: 'entity.traits.plan', operator: '!has', values: [] }, '!has(entity.traits.plan)'],
  ];
  test.each(cases)('%o', (row, written) => {
    expect(toCondition({ join: 'and', rows: [row] })).toBe(written);
    expect(fromCondition(written)).toEqual({ join: 'and', rows: [row] });
  });

  test('several of them, joined by one word', () => {
    const rows = cases.map(([row]) => row);
    for (const join of ['and', 'or'] as const)
      expect(fromCondition(toCondition({ join, rows }))).toEqual({ join, rows });
  });
});

describe('conditions that say more than rows can stay in the editor', () => {
  test.each([
    'payload.a == 1 && payload.b == 2 || payload.c == 3',
    '(payload.a == 1)',
    'payload.a == payload.b',
    'payload.items.all(i, i > 1)',
    'size(payload.items) > 3',
    'payload.items.size() > 3',
    'payload.a + 1 == 2',
    'payload.a == 1 &&',
    'payload.a == 1u',
    'payload.a == "\\x41"',
    'true',
    'payload',
    'foo.bar == 1',
    'payload.a ==',
    'payload.a == 1 payload.b == 2',
  ])('%s', condition => expect(fromCondition(condition)).toBeNull());
});

test('blanks, lines and single quotes are read too', () => {
  expect(fromCondition("\n payload.a=='x'\n  &&has( payload.b ) ")).toEqual({
    join: 'and',
    rows: [
      { field: 'payload.a', operator: '==', values: [text('x')] },
      { field: 'payload.b', operator: 'has', values: [] },
    ],
  });
  expect(fromCondition('  ')).toEqual({ join: 'and', rows: [] });
});

const name = fc.stringMatching(/^[A-Za-z_]\w{0,8}$/);
const anyText = fc.string({ unit: 'grapheme', maxLength: 12 });
const part = fc.oneof(
  name.map(each => `.${each}`),
  fc.nat(20).map(index => `[${index}]`),
  anyText.map(each => `[${JSON.stringify(each)}]`),
);
const field = fc
  .tuple(
    fc.constantFrom('event', 'payload', 'labels', 'entity', 'source'),
    fc.array(part, { minLength: 1, maxLength: 4 }),
  )
  .map(([root, parts]) => root + parts.join(''));
const literal: fc.Arbitrary<Literal> = fc.oneof(
  anyText.map(text),
  fc.oneof(fc.bigInt().map(String), fc.constantFrom('true', 'false', '1.5', '-0.25', '1e6')).map(word),
);
const row: fc.Arbitrary<Row> = fc.constantFrom(...(Object.keys(operators) as Operator[])).chain(operator => {
  const values = {
    nothing: fc.constant([]),
    'a value': literal.map(each => [each]),
    'a text': anyText.map(each => [text(each)]),
    values: fc.array(literal, { maxLength: 4 }),
  }[operators[operator].takes] as fc.Arbitrary<Literal[]>;
  return fc.record({ field, operator: fc.constant(operator), values });
});
const anyRows: fc.Arbitrary<JoinedRows> = fc.record({
  join: fc.constantFrom('and' as const, 'or' as const),
  rows: fc.array(row, { minLength: 2, maxLength: 5 }),
});

test('whatever rows write is read back as the same rows', () => {
  fc.assert(fc.property(anyRows, rows => expect(fromCondition(toCondition(rows))).toEqual(rows)));
});

test('whatever is read as rows is written as a condition of the same rows', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), noise => {
      const rows = fromCondition(noise);
      if (rows !== null) expect(fromCondition(toCondition(rows))).toEqual(rows);
    }),
  );
});

test('a value is shown so that it reads as the same value', () => {
  fc.assert(fc.property(literal, each => expect(readLiteral(showLiteral(each))).toEqual(each)));
  expect(showLiteral(text('42'))).toBe('"42"');
  expect(readLiteral('42')).toEqual(word('42'));
  expect(readLiteral('high')).toEqual(text('high'));
});
