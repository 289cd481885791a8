import { describe, expect, test } from 'bun:test';
import { cutToBytes, keptText, withoutMentions } from './text.ts';

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

describe('what chats would read as a mention', () => {
  test.each([
    '@channel',
    ' @here',
    '(@ok',
    '-@channel',
    '.@durov',
    '+@durovx',
    '_@here',
    'x.@all',
    'x-@all.com',
    'x+@all.com',
    '_@user.name',
    '@',
    'a@',
    'a@everyone',
    'é@all.com',
    '@a@b',
  ])('is only shown: %s', text => {
    const shown = withoutMentions(text);
    expect(shown).toMatch(/^[^@]*(@\u2060[^@]*)+$/);
    expect(shown.replaceAll('\u2060', '')).toBe(text);
  });

  test.each([
    'ada@example.com',
    'ada.l+x@example.com',
    'mail ada.l-x_1@mail.example.co.uk, or <bob@example.com>.',
    'Ada@EXAMPLE.COM',
    'ada@bücher.example',
  ])('is not an email address: %s', text => {
    expect(withoutMentions(text)).toBe(text);
  });

  test('is in no text, and in no two that stand next to each other', () => {
    const pieces = [
      '@',
      'all',
      'a',
      '1',
      '.',
      '-',
      '_',
      '+',
      '*',
      '\u0301',
      ' ',
      '@durov',
      'all.com',
      'b@c.de',
    ];
    const texts = pieces.flatMap(one => pieces.flatMap(two => pieces.map(three => one + two + three)));
    for (const text of texts) expect(mentionsIn(withoutMentions(text))).toEqual([]);
    for (const text of texts.filter(text => text.includes('@'))) {
      for (const at of text.matchAll(/@/g)) {
        for (const cut of [at.index, at.index + 1]) {
          const shown = withoutMentions(text.slice(0, cut)) + withoutMentions(text.slice(cut));
          expect(mentionsIn(shown)).toEqual([]);
        }
      }
    }
  });
});

/** As the chats read them. */
const mentionsIn = (text: string): string[] => [
  // Telegram: wherever no letter, digit or underscore stands before.
  ...(text.match(/(?<![\p{L}\p{N}_])@\w{2,}/gu) ?? []),
  // Rocket.Chat: at the beginning of a word, whatever name it is.
  ...(text.match(/(?<=^|[\s>])@[\w.-]+/g) ?? []),
  // Mattermost: takes a text apart at its marks, and what is left once more at dots and dashes.
  ...text
    .split(/[^\p{L}\p{N}:._@-]/u)
    .flatMap(word => [word.replace(/^[:._-]+/, ''), ...word.split(/[.:-]/)])
    .filter(word => /^@./.test(word)),
];
