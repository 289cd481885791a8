import { expect, test } from 'bun:test';
import { cutToBytes, keptText } from './text.ts';

test.each(['a', 'é', '€', '😀', 'a€', '😀é'])('%s, again and again, is cut at a whole character', unit => {
  for (let most = 0; most < 40; most++) {
    const cut = cutToBytes(unit.repeat(50), most);
    expect(unit.repeat(50)).toStartWith(cut);
    expect(cut.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(most - 4);
  }
});

test('a text that just fits is kept as it is, and a longer one says that there was more', () => {
  expect(keptText('€'.repeat(4), 12)).toBe('€€€€');
  expect(keptText('€'.repeat(5), 12)).toBe('€€€…');
  expect(keptText('a'.repeat(13), 12)).toBe('aaaaaaaaa…');
});

test('what no database takes is replaced before it is counted', () => {
  expect(keptText('\0'.repeat(10), 12)).toBe('\uFFFD\uFFFD\uFFFD…');
});
