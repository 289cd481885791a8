import { expect, test } from 'bun:test';
import { EXCERPT_LENGTH, excerptOf, jsonSpellingsOf } from './excerpt.ts';

const long = (n: number) => 'x'.repeat(n);

test('an excerpt is the beginning where nothing is searched for', () => {
  expect(excerptOf('{"a":1}')).toEqual({ before: '{"a":1}', hit: '', after: '' });
  expect(excerptOf(long(500)).before).toBe(`${long(EXCERPT_LENGTH)}…`);
});

test('an excerpt stands around what is found, whatever its case, with a bound on both sides', () => {
  expect(excerptOf('{"note":"a Needle in hay"}', 'needle')).toEqual({
    before: '{"note":"a ',
    hit: 'Needle',
    after: ' in hay"}',
  });
  const { before, hit, after } = excerptOf(`${long(1_000)}NEEDLE${long(1_000)}`, 'needle');
  expect(hit).toBe('NEEDLE');
  expect(before).toBe(`…${long(40)}`);
  expect(after.length).toBeLessThanOrEqual(EXCERPT_LENGTH);
});

test.each([
  ['she said "hi"', JSON.stringify({ text: 'she said "hi"' })],
  ['"id":77', '{"id":77}'],
  ['a.*b', '{"t":"a.*b"}'],
  ['first\nsecond', JSON.stringify({ text: 'first\nsecond' })],
])('finds %j as storage does', (text, payload) => {
  const { before, hit, after } = excerptOf(payload, text);
  expect(hit).not.toBe('');
  expect(before + hit + after).toBe(payload);
});

test('takes a text literally, and is whole characters', () => {
  expect(excerptOf('{"t":"axxb"}', 'a.*b').hit).toBe('');
  const cut = excerptOf(`${'🎉'.repeat(300)}needle${'🎉'.repeat(300)}`, 'needle');
  expect(cut.before.isWellFormed()).toBe(true);
  expect(cut.after.isWellFormed()).toBe(true);
  expect(jsonSpellingsOf('plain')).toEqual(['plain']);
});
