import { expect, test } from 'bun:test';
import { countrySpecs, isValidIBAN } from 'ibantools';
import { createSeeded } from '../../../../test/corpus/seeded.ts';
import { Budget } from '../../../core/expressions/cel/budget.ts';
import { createDetectors, detectorNames, redactText } from './redact-text.ts';

const detectors = createDetectors(detectorNames, null);
const redact = (text: string) => redactText(text, detectors, ({ name }) => `[${name}]`, new Budget());

/** The first digits of what each network gives out, and how many digits its numbers have. */
const networks: readonly [network: string, prefixes: string, lengths: readonly number[]][] = [
  ['Visa', '4', [13, 16, 19]],
  ['Mastercard', '51 55 2221 2720', [16]],
  ['American Express', '34 37', [15]],
  ['Diners Club', '300 305 36 38', [14, 16]],
  ['Discover', '6011 644 65', [16, 19]],
  ['JCB', '3528 3589', [16, 19]],
  ['JCB of old', '2131 1800', [15]],
  ['UATP', '1220 1354', [15]],
  ['UnionPay', '62 81', [16, 17, 18, 19]],
  ['RuPay', '6070 508 8200', [16]],
  ['Mir', '2200 2204', [16, 17, 18, 19]],
  ['Troy', '9792 65', [16]],
  ['Hipercard', '606282 384100', [16, 19]],
  ['Elo', '506699 509040 636368 650031', [16]],
  ['Maestro', '5018 5020 6304 6759 6761', [16, 18, 19]],
  ['Verve', '506099 650002', [16, 18, 19]],
  ['UzCard', '8600', [16]],
  ['Humo', '9860', [16]],
  ['Napas', '9704', [16, 19]],
];

function withCheckDigit(digits: string): string {
  for (let check = 0; check < 10; check++) {
    const number = `${digits}${check}`;
    const sum = [...number].reverse().reduce((total, digit, i) => {
      const value = Number(digit) * (i % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
    if (sum % 10 === 0) return number;
  }
  throw new Error('One of ten digits is right.');
}

test.each(networks)('cards of %s are found in all their lengths', (_, prefixes, lengths) => {
  const seeded = createSeeded(3);
  for (const prefix of prefixes.split(' '))
    for (const length of lengths) {
      const number = withCheckDigit(prefix + seeded.digits(length - prefix.length - 1));
      expect([number, redact(`paid with ${number}.`)]).toEqual([number, 'paid with [credit_card].']);
      const wrong = number.slice(0, -1) + ((Number(number.at(-1)) + 1) % 10);
      expect(redact(`paid with ${wrong}.`)).toBe(`paid with ${wrong}.`);
    }
});

const countries = Object.entries(countrySpecs).flatMap(([country, { chars, bban_regexp }]) =>
  chars && bban_regexp ? [[country, bban_regexp] as const] : [],
);

/** Some countries check digits of their own within, so that not every account that looks right is. */
function ibanOf(country: string, pattern: string): string {
  const seeded = createSeeded(5);
  for (let n = 0; n < 5_000; n++) {
    const account = pattern
      .replace(/[\^$]/g, '')
      .replace(/\[([^\]]+)\](?:\{(\d+)\})?/g, (_, of, times = '1') =>
        of.includes('0-9') ? seeded.digits(Number(times)) : seeded.letters(Number(times)),
      );
    const digits = `${account}${country}00`.replace(/[A-Z]/g, letter => String(letter.charCodeAt(0) - 55));
    const check = String(98n - (BigInt(digits) % 97n)).padStart(2, '0');
    if (isValidIBAN(`${country}${check}${account}`)) return `${country}${check}${account}`;
  }
  throw new Error(`No account number of ${country} was found.`);
}

test('accounts of every country that has them are found, in groups and without', () => {
  expect(countries.length).toBeGreaterThanOrEqual(75);
  for (const [country, pattern] of countries) {
    const iban = ibanOf(country, pattern);
    const grouped = iban.replace(/.{4}(?=.)/g, '$& ');
    for (const spelling of [iban, grouped, grouped.replaceAll(' ', '-'), grouped.replaceAll(' ', '\u00a0')])
      expect([spelling, redact(`to ${spelling}.`)]).toEqual([spelling, 'to [iban].']);
    expect(redact(`to ${iban.slice(0, -1)}.`)).not.toContain('[iban]');
  }
});
