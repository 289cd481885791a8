import type { Budget } from '../../../core/expressions/cel/budget.ts';
import { creditCardDetector } from './credit-card.ts';
import { countCharacters, type Detector, type Span } from './detector.ts';
import { emailDetector } from './email.ts';
import { FOLDED_DIGITS, type FoldedText, fold, unfolded } from './fold.ts';
import { ibanDetector } from './iban.ts';
import { ipDetector } from './ip.ts';
import { createPhoneDetector } from './phone.ts';
import { usSsnDetector } from './us-ssn.ts';

/** Redaction of one text: every detector over it, again until nothing is found. */

export const detectorNames = ['email', 'phone', 'credit_card', 'iban', 'ip', 'us_ssn'] as const;
export type DetectorName = (typeof detectorNames)[number];

interface NamedDetector extends Detector {
  readonly name: DetectorName;
}

const always: Readonly<Record<Exclude<DetectorName, 'phone'>, Detector>> = {
  email: emailDetector,
  credit_card: creditCardDetector,
  iban: ibanDetector,
  ip: ipDetector,
  us_ssn: usSsnDetector,
};

export const createDetectors = (
  names: readonly DetectorName[],
  region: Parameters<typeof createPhoneDetector>[0],
): NamedDetector[] =>
  // In the order of the list above: where two find the same, the first names it.
  detectorNames
    .filter(name => names.includes(name))
    .map(name => ({ name, ...(name === 'phone' ? createPhoneDetector(region) : always[name]) }));

/** What stands in place of a match. */
export type Replace = (detector: NamedDetector, found: string) => string;

/**
 * What replaces a match changes what stands beside its neighbours, and taking a match away joins them; so the
 * text is looked at again until nothing is found. Four times are plenty for anything that people write; after
 * that the text is made to be looked at, and goes as a whole.
 */
const MOST_PASSES = 4;
const GONE = '[redacted]';

/** It may be a digest. */
const STEPS_A_REPLACEMENT = 128;

export function redactText(
  text: string,
  detectors: readonly NamedDetector[],
  replace: Replace,
  budget: Budget,
  name = '',
): string {
  let redacted = text;
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const found = findAll(redacted, detectors, budget, name);
    if (found.length === 0) return redacted;
    redacted = replaceAll(redacted, found, replace, budget);
  }
  return findAll(redacted, detectors, budget, name).length === 0 ? redacted : GONE;
}

interface Detection extends Span {
  readonly detector: NamedDetector;
  /** As it reads once the text is folded. */
  readonly found: string;
}

const STEPS_A_TEXT = 8;
/** A digit or an at sign, of any script: most long texts have none, and short ones are counted as fast. */
const SHORT = 64;
const ANYTHING = new RegExp(`[0-9@%${FOLDED_DIGITS}]`);
const NOTHING: readonly Detection[] = [];

/** Without overlaps: what begins first counts, and of those the longest. */
export function findAll(
  text: string,
  detectors: readonly NamedDetector[],
  budget: Budget,
  name = '',
): readonly Detection[] {
  budget.spend(STEPS_A_TEXT + (text.length >> 2));
  if (text.length > SHORT && !ANYTHING.test(text)) return NOTHING;
  const counts = countCharacters(text);
  if (counts.digits === 0 && counts.ats === 0) return NOTHING;
  const found: Detection[] = [];
  let folded: FoldedText | null = null;
  for (const detector of detectors) {
    if (!detector.mayFind(counts)) continue;
    folded ??= foldWhereNeeded(text, counts.folded, budget);
    for (const { start, end } of detector.find(folded.text, budget, name))
      found.push({
        start: folded.startOf(start),
        end: folded.endOf(end),
        detector,
        found: folded.text.slice(start, end),
      });
  }
  if (found.length < 2) return found;
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let from = 0;
  return found.filter(({ start, end }) => {
    if (start < from) return false;
    from = end;
    return true;
  });
}

function foldWhereNeeded(text: string, folded: number, budget: Budget): FoldedText {
  if (folded === 0) return unfolded(text);
  budget.spend(text.length);
  return fold(text);
}

function replaceAll(text: string, found: readonly Detection[], replace: Replace, budget: Budget): string {
  let redacted = '';
  let from = 0;
  for (const { start, end, detector, found: match } of found) {
    budget.spend(STEPS_A_REPLACEMENT);
    redacted += text.slice(from, start) + replace(detector, match);
    from = end;
  }
  return redacted + text.slice(from);
}
