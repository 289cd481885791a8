import type { DetectorName } from '../../src/pipeline/steps/redact/redact-text.ts';
import { addresses } from './pii-addresses.ts';
import { lookalikes } from './pii-lookalikes.ts';
import { money } from './pii-money.ts';
import { phones } from './pii-phones.ts';
import { spellings } from './pii-spellings.ts';

/**
 * Texts with personal data in them, and texts that only look so, labelled by hand. What a detector is to find is
 * marked where it stands: `Write to «email ada@example.com»`. Texts are grouped by the region that the detectors
 * are set to; the empty one is none.
 */
export type Corpus = Readonly<Record<string, readonly string[]>>;

export interface LabelledText {
  readonly text: string;
  readonly region: string;
  readonly expected: readonly { readonly detector: DetectorName; readonly found: string }[];
}

const MARK = /«(email|phone|credit_card|iban|ip|us_ssn) ([^»]+)»/g;

const read = (marked: string, region: string): LabelledText => ({
  text: marked.replace(MARK, '$2'),
  region,
  expected: [...marked.matchAll(MARK)].map(([, detector = '', found = '']) => ({
    detector: detector as DetectorName,
    found,
  })),
});

const readAll = (...parts: readonly Corpus[]): readonly LabelledText[] =>
  parts.flatMap(part =>
    Object.entries(part).flatMap(([region, texts]) => texts.map(marked => read(marked, region))),
  );

export const corpus = readAll(addresses, phones, money, lookalikes);
export const rareSpellings = readAll(spellings);
