import { describe, expect, test } from 'bun:test';
import { corpus, rareSpellings } from '../../../../test/corpus/pii.ts';
import { Budget } from '../../../core/expressions/cel/budget.ts';
import { isRegion } from './phone.ts';
import { createDetectors, detectorNames, findAll, redactText } from './redact-text.ts';

/** How well the detectors do on texts that were labelled by hand: everything at once, as in a pipeline. */
const corpora = { 'the labelled corpus': corpus, 'spellings that are easily missed': rareSpellings };

const regions = new Set(Object.values(corpora).flatMap(texts => texts.map(({ region }) => region)));
const detectors = new Map(
  [...regions].map(region => [region, createDetectors(detectorNames, isRegion(region) ? region : null)]),
);
const detectorsOf = (region: string) => detectors.get(region) ?? [];

const say = ({ detector, found }: { detector: string; found: string }) => `${detector} ${found}`;

test('the labelled corpus is large enough to say anything', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(300);
  expect(corpus.filter(({ expected }) => expected.length === 0).length).toBeGreaterThanOrEqual(100);
});

for (const [title, texts] of Object.entries(corpora))
  describe(`on ${title}`, () => {
    const found = texts.map(({ text, region }) =>
      findAll(text, detectorsOf(region), new Budget()).map(({ detector, start, end }) => ({
        detector: detector.name,
        found: text.slice(start, end),
      })),
    );

    for (const name of detectorNames) {
      test(`${name} finds nearly all and nearly nothing else`, () => {
        const missed: string[] = [];
        const wrong: string[] = [];
        let right = 0;
        for (const [i, { text, expected }] of texts.entries()) {
          const wanted = expected.filter(({ detector }) => detector === name).map(say);
          const got = (found[i] ?? []).filter(({ detector }) => detector === name).map(say);
          right += wanted.filter(one => got.includes(one)).length;
          missed.push(...wanted.filter(one => !got.includes(one)).map(one => `${one} in ${text}`));
          wrong.push(...got.filter(one => !wanted.includes(one)).map(one => `${one} in ${text}`));
        }
        const precision = right / (right + wrong.length);
        const recall = right / (right + missed.length);
        console.log(
          `${name.padEnd(12)} precision ${precision.toFixed(3)}  recall ${recall.toFixed(3)}  (${right} found)` +
            [...missed.map(one => `\n  missed: ${one}`), ...wrong.map(one => `\n  wrong: ${one}`)].join(''),
        );
        expect(right).toBeGreaterThanOrEqual(15);
        expect(precision).toBeGreaterThanOrEqual(0.95);
        expect(recall).toBeGreaterThanOrEqual(0.95);
      });
    }

    test('what was redacted is not found again', () => {
      for (const { text, region } of texts) {
        const own = detectorsOf(region);
        for (const replacement of ['[x]', '', '[x:4111111111111111]']) {
          const redacted = redactText(text, own, () => replacement, new Budget());
          expect([redacted, findAll(redacted, own, new Budget())]).toEqual([redacted, []]);
        }
      }
    });
  });
