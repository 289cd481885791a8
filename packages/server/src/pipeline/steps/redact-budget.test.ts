import { describe, expect, test } from 'bun:test';
import { runStep } from '../../../test/support/step.ts';
import { BUDGET_MS, threadMs } from '../../core/expressions/cel/budget.ts';
import type { JsonObject } from '../../core/json/json.ts';

/** As for conditions: the allowance is for what was under way, and for what came before the first look at the clock. */
const ALLOWED_MS = BUDGET_MS + 250;
const MEGABYTE = 1024 * 1024;

const fill = (part: string, length: number) => part.repeat(Math.ceil(length / part.length)).slice(0, length);
const lengthOf = (part: string) => Math.max(24, part.length);

/** The largest payload allowed: one text, or a list of short ones, or fields named so. */
const shapes: Readonly<Record<string, (part: string) => JsonObject>> = {
  'one text': part => ({ text: fill(part, MEGABYTE) }),
  'many texts': part => ({
    texts: Array<string>(Math.floor(MEGABYTE / (lengthOf(part) + 3))).fill(fill(part, lengthOf(part))),
  }),
  names: part =>
    Object.fromEntries(
      Array.from({ length: Math.floor(MEGABYTE / (lengthOf(part) + 10)) }, (_, i) => [
        `${fill(part, lengthOf(part))} ${i.toString(36)}`,
        1,
      ]),
    ),
};

/** What looks like something, is something, or has every other character of something. */
const parts = [
  ...['1', '+', '1 ', '1 (', '00 1', '4111 1111 1111 1112 ', '1-2-3-4-5-6-7-8-9-0-'],
  ...['(212) 555-0123 ', 'a@b.ca@b.co', `a@${'a.'.repeat(126)}`, 'DE89', '1.2.3.', 'fe80::1 '],
];

describe('on the largest payload of look-alikes it ends within its budget, or is cut there', () => {
  for (const [shape, payloadOf] of Object.entries(shapes))
    test(shape, async () => {
      for (const part of parts) {
        const payload = payloadOf(part);
        const began = threadMs();
        const result = await runStep('redact.pii', { region: 'US', mode: 'hash' }, payload);
        const ms = threadMs() - began;
        expect([part, result.kind, ms < ALLOWED_MS]).toEqual([part, 'settled', true]);
      }
    }, 60_000);

  test('what is cut fails with the reason, and nothing of it goes on', async () => {
    const payload = shapes['many texts']?.('1 ') ?? {};
    const result = await runStep('redact.pii', { region: 'US' }, payload);
    expect(result).toMatchObject({
      kind: 'settled',
      outcome: { kind: 'failed', step: 0, reason: expect.stringContaining(`${BUDGET_MS} ms`) },
    });
  });
});

test('a megabyte as people write it is not cut', async () => {
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
  const customers = Array(Math.floor(MEGABYTE / JSON.stringify(customer).length)).fill(customer);
  const result = await runStep('redact.pii', {}, { customers });
  expect(result).toMatchObject({ kind: 'settled', outcome: { kind: 'routed' } });
  expect(JSON.stringify(result.scope.payload)).not.toContain('ada@');
});

test('fifty thousand fields that become the same name take no longer', async () => {
  const payload = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`a${i}@example.com`, i]));
  const began = threadMs();
  const { scope } = await runStep('redact.pii', {}, payload);
  expect(threadMs() - began).toBeLessThan(ALLOWED_MS);
  expect(Object.keys(scope.payload)).toHaveLength(50_000);
});
