import { countrySpecs, isValidIBAN } from 'ibantools';
import { type Detector, eachMatch, isWordAt, type Span, withoutSeparators } from './detector.ts';

/** Country and check digits; how much follows, the country says. */
const BEGINNING = /[A-Za-z]{2}\d{2}/g;

/** The check takes long numbers apart. */
const STEPS_A_LOOK = 128;

/** International bank account numbers, by country, length and check digits. */
export const ibanDetector: Detector = {
  mayFind: ({ digits }) => digits >= 8,
  find(text, budget) {
    const spans: Span[] = [];
    let from = 0;
    eachMatch(text, BEGINNING, budget, (beginning, index) => {
      if (index < from || isWordAt(text, index - 1)) return;
      budget.spend(STEPS_A_LOOK);
      const end = endOfIban(text, index, lengthIn(beginning.slice(0, 2).toUpperCase()));
      if (end === null || isWordAt(text, end)) return;
      if (!isValidIBAN(withoutSeparators(text.slice(index, end)))) return;
      spans.push({ start: index, end });
      from = end;
    });
    return spans;
  },
  normalise: withoutSeparators,
};

const lengthIn = (country: string): number =>
  (Object.hasOwn(countrySpecs, country) ? countrySpecs[country]?.chars : null) ?? 0;

/** After that many letters and digits, with single blanks, hyphens or dots between. */
function endOfIban(text: string, start: number, length: number): number | null {
  if (length === 0) return null;
  let index = start;
  for (let count = 0; count < length; index++) {
    if (/[A-Za-z0-9]/.test(text.charAt(index))) count++;
    else if (!/[ .-]/.test(text.charAt(index)) || !/[A-Za-z0-9]/.test(text.charAt(index + 1))) return null;
  }
  return index;
}
