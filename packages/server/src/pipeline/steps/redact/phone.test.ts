import { describe, expect, test } from 'bun:test';
import parsePhoneNumber from 'libphonenumber-js/max';
import { examplePhones } from '../../../../test/corpus/example-phones.ts';
import { foreignTexts } from '../../../../test/corpus/foreign-texts.ts';
import { technicalTexts } from '../../../../test/corpus/technical-texts.ts';
import { unseenTexts } from '../../../../test/corpus/unseen-texts.ts';
import { Budget } from '../../../core/expressions/cel/budget.ts';
import { isRegion } from './phone.ts';
import { createDetectors, findAll } from './redact-text.ts';

const regions = Object.keys(examplePhones).filter(isRegion);
const detectors = new Map(regions.map(region => [region, createDetectors(['phone'], region)]));
const phonesIn = (text: string, region: string) =>
  findAll(text, detectors.get(region as (typeof regions)[number]) ?? [], new Budget()).map(({ start, end }) =>
    text.slice(start, end),
  );

/** As the country writes it, and as it is written from abroad. */
function spellingsOf(number: string, region: (typeof regions)[number]): string[] {
  const phone = parsePhoneNumber(number, { defaultCountry: region, extract: false });
  if (phone === undefined) throw new Error(`${number} is no number of ${region}`);
  const national = phone.formatNational();
  return [
    national,
    phone.format('NATIONAL', { nationalPrefix: false }),
    phone.formatInternational(),
    phone.number,
    national.replace(/\D/g, ''),
    phone.number.slice(1),
  ];
}

const examples = regions.map(region => {
  const numbers = (examplePhones[region] ?? '').split(' ');
  return [region, numbers.flatMap(number => spellingsOf(number, region))] as const;
});

describe('telephone numbers of a region', () => {
  test('which are those of fifty countries and a few more', () => {
    expect(regions).toHaveLength(55);
  });

  test.each(examples)('%s: nearly all are found in every spelling', (region, spellings) => {
    const missed = spellings.filter(spelling => phonesIn(spelling, region)[0] !== spelling);
    const recall = 1 - missed.length / spellings.length;
    if (missed.length > 0) console.log(`${region} recall ${recall.toFixed(3)}, missed: ${missed.join(', ')}`);
    expect(recall).toBeGreaterThanOrEqual(0.95);
  });

  test.each([
    ['hyphens', '-'],
    ['dots', '.'],
    ['two blanks', '  '],
    ['non-breaking blanks', '\u00a0'],
    ['non-breaking hyphens', '\u2011'],
    ['minus signs', '\u2212'],
    ['hyphens with blanks', ' - '],
  ])('they may be written with %s', (_, separator) => {
    const written = examples.flatMap(([region, spellings]) =>
      spellings.map(spelling => [region, spelling.replace(/[ -]/g, separator)] as const),
    );
    const found = written.filter(([region, spelling]) => phonesIn(spelling, region)[0] === spelling);
    expect(found.length / written.length).toBeGreaterThanOrEqual(0.95);
  });

  test.each([
    ['GB', 'call 7400 123456 after six', '7400 123456'],
    ['DE', 'Telefon: 30123456', '30123456'],
    ['GB', 'mobile 07700900123', '07700900123'],
  ])('%s: where a word says so, the leading zero may be absent', (region, text, phone) => {
    expect(phonesIn(text, region)).toEqual([phone]);
  });

  test.each([
    ['US', 'office 212-555-0123 212-555-0199', ['212-555-0123', '212-555-0199']],
    ['ES', '612345678\n655123456', ['612345678', '655123456']],
  ])('%s: several one after the other', (region, text, phones) => {
    expect(phonesIn(text, region)).toEqual(phones);
  });
});

describe('texts without a telephone number', () => {
  const most = 1 / 1_000;
  const countries = regions.slice(0, 50);

  test.each([
    ['of business, in many languages', foreignTexts(1_000)],
    ['of technology and science', technicalTexts(1_000)],
    ['that the detector was not made for', unseenTexts(1_000)],
  ])('%s: one false alarm in a thousand at most', (_, texts) => {
    const wrong = countries.flatMap(region =>
      texts.flatMap(text => phonesIn(text, region).map(found => `${region} ${found} in ${text}`)),
    );
    const rate = wrong.length / texts.length / countries.length;
    console.log(`false alarms: ${(rate * 1_000).toFixed(2)} in 1,000`, wrong);
    expect(rate).toBeLessThanOrEqual(most);
  });
});
