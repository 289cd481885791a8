import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Budget } from '../../../core/expressions/cel/budget.ts';
import { fold } from './fold.ts';
import { createDetectors, detectorNames, findAll, redactText } from './redact-text.ts';

const detectors = createDetectors(detectorNames, 'US');
const redact = (text: string) => redactText(text, detectors, ({ name }) => `[${name}]`, new Budget());

const BLANKS = [0xa0, 0x2000, 0x2007, 0x2009, 0x202f, 0x205f, 0x3000].map(code => String.fromCharCode(code));
const HYPHENS = [0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0xfe63, 0xff0d].map(code =>
  String.fromCharCode(code),
);
const nameOf = (separator: string) =>
  separator.replace(/[^ .-]/g, c => `U+${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

describe('whatever separates the groups, the number is found, and only the number is replaced', () => {
  test.each([...BLANKS, ...HYPHENS, '  ', '.', ' - ', '\u00a0 '].map(one => [nameOf(one), one]))(
    '%s',
    (_, separator) => {
      const spelt = (number: string) => number.replaceAll(' ', separator);
      const texts: [string, string][] = [
        ['phone', '212 555 0123'],
        ['phone', '+44 20 7946 0958'],
        ['credit_card', '4111 1111 1111 1111'],
        ['credit_card', '3782 822463 10005'],
        ['us_ssn', '123 45 6789'],
      ];
      // An IBAN with blanks around its hyphens is not one that anybody writes.
      if (separator !== ' - ') texts.push(['iban', 'DE89 3704 0044 0532 0130 00']);
      for (const [name, number] of texts)
        expect(redact(`é – ${spelt(number)}\u2009– ½`)).toBe(`é – [${name}]\u2009– ½`);
    },
  );

  test('digits of every script whose characters take one unit', () => {
    const digits = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter(
      character => /\p{Nd}/u.test(character),
    );
    const ascii = '0123456789'.repeat(digits.length / 10);
    expect(digits.map(digit => fold(digit).text).join('')).toBe(ascii);
    for (let i = 0; i < digits.length; i += 10) {
      const spelt = '4111 1111 1111 1111'.replace(/\d/g, digit => digits[i + Number(digit)] ?? '');
      expect(redact(`(${spelt})`)).toBe('([credit_card])');
      expect(redact(`${'x'.repeat(100)} ${spelt}`)).toBe(`${'x'.repeat(100)} [credit_card]`);
    }
  });

  test('digits of other scripts, full-width characters, and what nobody sees', () => {
    expect(redact('電話 ＋４４ ２０ ７９４６ ０９５８。')).toBe('電話 [phone]。');
    expect(redact('بطاقة ٤١١١ ١١١١ ١١١١ ١١١١')).toBe('بطاقة [credit_card]');
    expect(redact('ada＠example．com!')).toBe('[email]!');
    expect(redact('\u200b4111\u200b1111\u00ad11111111\u200b.')).toBe('\u200b[credit_card]\u200b.');
    expect(redact('+81 90ー1234ー5678')).toBe('[phone]');
  });

  test('columns of a table are not joined', () => {
    expect(redact('4111   1111   1111   1111')).toBe('4111   1111   1111   1111');
  });
});

test('all spellings of a number have the same hash', () => {
  const hashedOf = (text: string) =>
    findAll(text, detectors, new Budget()).map(({ detector, found }) => detector.normalise(found));
  expect(hashedOf('４１１１\u202f1111  1111–1111')).toEqual(['4111111111111111']);
  expect(hashedOf('Joe%40Example.com')).toEqual(hashedOf('joe@example.com'));
  expect(hashedOf('+44\u00a020\u20117946 0958')).toEqual(['+442079460958']);
});

test('every place in a folded text is that of the character it was made of', () => {
  const character = fc.oneof(
    fc.constantFrom(...BLANKS, ...HYPHENS, ' ', '1', 'a', '\u200b', '\u00ad', '１', '٣', '🛒', 'é'),
    fc.string({ maxLength: 2 }),
  );
  fc.assert(
    fc.property(fc.array(character, { maxLength: 30 }), parts => {
      const text = parts.join('');
      const folded = fold(text);
      for (let i = 0; i < folded.text.length; i++) {
        const from = folded.startOf(i);
        expect(folded.endOf(i + 1)).toBe(from + 1);
        if (text.charCodeAt(from) < 0xa0) expect(folded.text.charAt(i)).toBe(text.charAt(from));
        if (i > 0) expect(from).toBeGreaterThan(folded.startOf(i - 1));
      }
      for (const { start, end } of findAll(text, detectors, new Budget()))
        expect([start >= 0, start < end, end <= text.length]).toEqual([true, true, true]);
    }),
  );
});
