import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type DiffLine, diffLines, foldUnchanged } from './line-diff.ts';

const shown = (lines: readonly DiffLine[]) =>
  lines.map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`);
const side = (lines: readonly DiffLine[], kind: 'removed' | 'added') =>
  lines.filter(line => line.kind === 'same' || line.kind === kind).map(({ text }) => text);

describe('the difference of two texts', () => {
  test('is what was taken out and what was put in, where it stood', () => {
    expect(shown(diffLines('a\nb\nc\nd', 'a\nc\nx\nd'))).toEqual([' a', '-b', ' c', '+x', ' d']);
    expect(shown(diffLines('a', 'a'))).toEqual([' a']);
    expect(shown(diffLines('a', 'b'))).toEqual(['-a', '+b']);
    expect(shown(diffLines('', 'a\nb'))).toEqual(['-', '+a', '+b']);
  });

  test('leaves aside what its reader does, such as commas that only separate', () => {
    const lines = diffLines('{\n a\n}', '{\n a,\n b\n}', line => line.replace(/,$/, ''));
    expect(shown(lines)).toEqual([' {', '  a,', '+ b', ' }']);
  });

  test('holds both texts whole, whatever they are', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', '}'), { maxLength: 30 })
      .map(all => all.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        expect(side(lines, 'removed').join('\n')).toBe(before);
        expect(side(lines, 'added').join('\n')).toBe(after);
      }),
    );
  });

  test('is not looked for any further in 64 KiB that have next to nothing in common', () => {
    const text = (seed: string) =>
      [...Array.from({ length: 6_000 }, (_, n) => `"${seed}${n}": 1`), 'the same'].join('\n');
    const lines = diffLines(text('before'), text('after'));
    expect(lines.map(({ kind }) => kind)).toEqual([
      ...Array<'removed'>(6_001).fill('removed'),
      ...Array<'added'>(6_001).fill('added'),
    ]);
  });
});

describe('what is unchanged', () => {
  const lines = diffLines(
    Array.from({ length: 20 }, (_, n) => `line ${n}`).join('\n'),
    Array.from({ length: 20 }, (_, n) => (n === 10 ? 'other' : `line ${n}`)).join('\n'),
  );

  test('is passed over, but for a few lines around each change', () => {
    expect(foldUnchanged(lines).map(part => [part.kind, part.lines.length])).toEqual([
      ['gap', 7],
      ['lines', 8],
      ['gap', 6],
    ]);
  });

  test('is shown where passing it over saves nothing', () => {
    expect(foldUnchanged(lines, 9).map(part => [part.kind, part.lines.length])).toEqual([['lines', 21]]);
  });

  test('is one gap where nothing changed at all', () => {
    expect(foldUnchanged(diffLines('a\nb\nc\nd', 'a\nb\nc\nd')).map(({ kind }) => kind)).toEqual(['gap']);
  });
});
