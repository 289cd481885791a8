import { describe, expect, test } from 'bun:test';
import { runStep } from '../../../test/support/step.ts';
import { Budget } from '../../core/expressions/cel/budget.ts';
import { createDetectors, detectorNames, redactText } from './redact/redact-text.ts';
import { MOST_REDACTION_STEPS } from './redact-pii.ts';

const MEGABYTE = 1024 * 1024;

const fill = (part: string, length: number) => part.repeat(Math.ceil(length / part.length)).slice(0, length);
const lengthOf = (part: string) => Math.max(24, part.length);

/** One text, or a list of short ones, as they would be if the payload had that length. */
const shapes: Readonly<Record<string, (part: string, length: number) => string[]>> = {
  'one text': (part, length) => [fill(part, length)],
  'many texts': (part, length) =>
    Array<string>(Math.floor(length / (lengthOf(part) + 3))).fill(fill(part, lengthOf(part))),
};

/** Costs grow with the length, so that an eighth of a megabyte may take an eighth of the steps. */
const EIGHTH = 8;
const LONG_MS = 60_000;
const budgetOfEighth = (steps: number) => new Budget(steps / EIGHTH, LONG_MS);

/** What looks like something, is something, or has every other character of something. */
const parts = [
  ...['1', '+', '1 ', '1 (', '00 1', '4111 1111 1111 1112 ', '1-2-3-4-5-6-7-8-9-0-'],
  ...['(212) 555-0123 ', 'a@b.ca@b.co', `a@${'a.'.repeat(126)}`, 'DE89', '1.2.3.', 'fe80::1 '],
];

describe('the largest payload of look-alikes', () => {
  for (const [shape, textsOf] of Object.entries(shapes))
    test(`takes no more than the budget of a step: ${shape}`, () => {
      const detectors = createDetectors(detectorNames, 'US');
      for (const part of parts) {
        const budget = budgetOfEighth(MOST_REDACTION_STEPS);
        for (const text of textsOf(part, MEGABYTE / EIGHTH)) redactText(text, detectors, () => '[x]', budget);
        expect(budget.spent).toBeGreaterThan(0);
      }
    });

  test('is redacted whole, in texts and in names', async () => {
    const texts = shapes['many texts']?.('1-2-3-4-5-6-7-8-9-0-', MEGABYTE / 2) ?? [];
    const names = Object.fromEntries(texts.map((text, i) => [`${text} ${i.toString(36)}`, 1]));
    const result = await runStep('redact.pii', { region: 'US', mode: 'hash' }, { texts, names });
    expect(result).toMatchObject({ kind: 'settled', outcome: { kind: 'routed' } });
  });

  test('what is several times as large is cut: it fails with the reason, and nothing of it goes on', async () => {
    const texts = Array<string>(200_000).fill('1 '.repeat(12));
    const result = await runStep('redact.pii', { region: 'US' }, { texts });
    expect(result).toMatchObject({
      kind: 'settled',
      outcome: { kind: 'failed', step: 0, reason: expect.stringMatching(/more work|budget of/) },
    });
  });

  test('is cut at the same step on every machine', () => {
    const detectors = createDetectors(detectorNames, 'US');
    const spent = () => {
      const budget = new Budget(1_000_000, 60_000);
      expect(() => {
        for (;;) redactText('1 '.repeat(12), detectors, () => '[x]', budget);
      }).toThrow('more work');
      return budget.spent;
    };
    expect(spent()).toBe(spent());
  });
});

const customer = {
  name: 'Ada Lovelace',
  contact: 'ada@example.com, or call +44 20 7946 0958 after six',
  billing: { iban: 'DE89 3704 0044 0532 0130 00', address: '12 St James Square, London SW1Y 4JH' },
  order: {
    id: 'ord_4711',
    at: '2026-01-31T12:00:00.000Z',
    total: '129.90 EUR',
    note: 'Leave it at the door.',
  },
  seen: { ip: '203.0.113.7', agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101' },
};

test('a megabyte as people write it is not cut', async () => {
  const customers = Array(Math.floor(MEGABYTE / JSON.stringify(customer).length)).fill(customer);
  const result = await runStep('redact.pii', {}, { customers });
  expect(result).toMatchObject({ kind: 'settled', outcome: { kind: 'routed' } });
  expect(JSON.stringify(result.scope.payload)).not.toContain('ada@');
});

describe('a megabyte of what is merely ordinary takes half of the steps at most, on every machine', () => {
  const FEW_STEPS = MOST_REDACTION_STEPS / 2;
  const ordinary: Readonly<Record<string, (n: number) => string>> = {
    customers: () => JSON.stringify(customer),
    'telephone numbers': n => `+49 30 ${100_000 + n}`,
    'national numbers': n => `(212) 555-${1_000 + (n % 9_000)}`,
    cards: () => '4111 1111 1111 1111',
    figures: n => String(1_000_000_000 + n * 7_919),
    'prose with dashes': n => `Lieferung am Montag – Tor ${n % 9}, bitte läuten  –  danke.`,
    times: n => `2026-01-${10 + (n % 20)}T12:00:${10 + (n % 50)}.${100 + (n % 900)}Z`,
    addresses: n => `ada${n}@example.com`,
    lines: n =>
      `2026-01-31 12:00:${10 + (n % 50)} INFO [worker-${n % 8}] ${n} from 10.0.0.${n % 250} took ${n % 300} ms`,
  };
  for (const [what, textOf] of Object.entries(ordinary))
    for (const region of ['US', null] as const)
      test(`${what}, ${region === null ? 'no region' : `region ${region}`}`, () => {
        const detectors = createDetectors(detectorNames, region);
        const apart = budgetOfEighth(FEW_STEPS);
        let together = '';
        for (let n = 0; together.length < MEGABYTE / EIGHTH; n++) {
          const text = textOf(n);
          together += `${text}\n`;
          redactText(text, detectors, () => '[x]', apart);
        }
        redactText(together, detectors, () => '[x]', budgetOfEighth(FEW_STEPS));
      });
});

test('fifty thousand fields that become the same name are not cut, and none is lost', async () => {
  const payload = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`a${i}@example.com`, i]));
  const { scope } = await runStep('redact.pii', {}, payload);
  expect(Object.keys(scope.payload)).toHaveLength(50_000);
});
