import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { abridge, unabridge } from './abridged-text.ts';

const json = fc.json({ depthSize: 'medium', stringUnit: 'binary' });
/** Pieces of the one among pieces of its own. */
const pairs = fc
  .tuple(json, fc.array(fc.tuple(fc.nat(200), fc.nat(200), json), { maxLength: 6 }))
  .map(([other, pieces]) => ({
    other,
    text: pieces.map(([start, length, own]) => other.slice(start, start + length) + own).join(''),
  }));

test('whatever a text repeats of another, it is read as it was', () => {
  fc.assert(
    fc.property(pairs, ({ text, other }) => {
      expect(unabridge(abridge(text, other), other)).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});

test('what is kept can be stored: no character is cut in two, however alike two of them are', () => {
  const letters = fc.string({
    unit: fc.constantFrom('😀', '😁', '\u{1fa00}', '\u{10400}', '\u{10401}', 'x'),
    maxLength: 60,
  });
  const stored = (kept: string) => Buffer.from(kept).toString();
  fc.assert(
    fc.property(letters, letters, letters, (before, mine, theirs) => {
      const [text, other] = [`${before}${mine}${before}`, `${before}${theirs}${before}`];
      expect(unabridge(stored(abridge(text, other)), other)).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});

test('a text that repeats nothing is kept as it is', () => {
  for (const other of ['', '{}', '{"something":"else altogether"}'])
    expect(abridge('{"a":"text of its own, which is long enough"}', other)).toBe(
      '{"a":"text of its own, which is long enough"}',
    );
});

test('one that is taken apart is short, however often it repeats the other', () => {
  const other = `{"name":"${'Ada Lovelace '.repeat(20)}"}`;
  const kept = abridge(`[${other},${other},1,${other}]`, other);
  expect(kept.length).toBeLessThan(40);
  expect(unabridge(kept, other)).toBe(`[${other},${other},1,${other}]`);
});

test('what is very long is only compared as a whole', () => {
  const long = `"${'x'.repeat(40_000)}"`;
  expect(abridge(long, long).length).toBeLessThan(10);
  expect(unabridge(abridge(long, long), long)).toBe(long);
  expect(abridge(`[${long}]`, long)).toBe(`[${long}]`);
});
