import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { jsonObjects } from '../../../../test/support/json-values.ts';
import { readYaml, writeYaml } from './yaml-text.ts';

const problemsIn = (text: string) => {
  const read = readYaml(text);
  return 'problems' in read ? read.problems : [];
};

test('what is written is read as it was', () => {
  fc.assert(
    fc.property(jsonObjects, value => {
      const read = readYaml(writeYaml(value, [], ' a comment'));
      expect('value' in read ? read.value : read).toEqual(value);
    }),
  );
});

test.each([
  'yes',
  'null',
  '~',
  '0x10',
  '1e3',
  '!secret',
  '!secret ',
  '# no comment',
  ' blanks ',
  'two\nlines\n',
  '- a',
  'a: b',
  '&a',
  '*a',
  '{{ payload.x }}',
  '---',
  '\t',
  'a\n  !secret \nb',
])('the text %j stays a text', text => {
  const read = readYaml(writeYaml({ [text]: [text] }, [], ''));
  expect(read).toMatchObject({ value: { [text]: [text] }, marks: [] });
});

test('a secret is a mark, wherever it stands', () => {
  const text = writeYaml({ a: { 'b c': [{ x: { set: true } }] } }, [['a', 'b c', 0, 'x']], '');
  expect(text).toContain('x: !secret\n');
  expect(readYaml(text)).toMatchObject({
    value: { a: { 'b c': [{ x: { set: true } }] } },
    marks: ['a["b c"][0].x'],
  });
});

describe('refused, with its line, is', () => {
  const refused: [string, string, number, string][] = [
    ['an anchor', 'a: 1\nb: &x 1', 2, 'b'],
    ['an alias', 'a: &x 1\nb: *x', 1, 'a'],
    ['a key that is there twice', 'a: 1\nb:\n  c: 1\n  c: 2', 4, 'b.c'],
    ['a tag of another', 'a: !!binary abc', 1, 'a'],
    ['a secret that is written out', 'a: 1\nb: !secret abc', 2, 'b'],
    ['a number that is none', 'a: .nan', 1, 'a'],
    ['a number out of range', 'a: 1e999', 1, 'a'],
    ['a NUL', 'a: "\\0"', 1, 'a'],
    ['a key that is a list', '? [a]\n: 1', 1, ''],
    ['a second document', 'a: 1\n---\nb: 1', 2, ''],
    ['what is no YAML', 'a: 1\nb: ]', 2, ''],
  ];
  test.each(refused)('%s', (_, text, line, path) => {
    expect(problemsIn(text)[0]).toMatchObject({ line, path });
  });

  test('what is nested deeper than 64 levels, however much of it there is', () => {
    for (const text of [
      `${'['.repeat(65)}${']'.repeat(65)}`,
      '- '.repeat(3_000),
      `${'{a: '.repeat(3_000)}${'}'.repeat(3_000)}`,
    ])
      expect(problemsIn(text)[0]?.message).toContain('64 levels');
  });
});

test('ten doublings of aliases are not followed', () => {
  const lines = ['a0: &a0 [x, x]'];
  for (let n = 1; n < 40; n++) lines.push(`a${n}: &a${n} [*a${n - 1}, *a${n - 1}]`);
  expect(problemsIn(lines.join('\n')).length).toBeGreaterThan(0);
});

test('a merge key is a key like any other', () => {
  expect(readYaml('<<: {a: 1}')).toMatchObject({ value: { '<<': { a: 1 } } });
});
