import { describe, expect, test } from 'bun:test';
import { scopeWith } from '../../../../test/support/scope.ts';
import type { JsonObject } from '../../json/json.ts';
import { compileCondition } from '../condition.ts';
import { compileTemplate } from '../template.ts';
import { BUDGET_MS, Budget, threadMs } from './budget.ts';
import { compileExpression } from './expression.ts';

/**
 * The largest payloads allowed, and what a hostile mind might ask of them. All must end soon after their budget;
 * the allowance on top is for the one operation that was under way, for what came before the first look, and for a
 * machine that is slow and busy. Without a budget most of these would take minutes.
 */
const ALLOWED_MS = 10 * BUDGET_MS;

const megabyte = 1024 * 1024;
const numbers = Array.from({ length: 500_000 }, (_, i) => i % 10);
const texts = Array.from({ length: 100_000 }, () => 'abcdefg');
let seed = 1;
/** The same letters in every run, without a pattern in them. */
const nextLetter = () => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed > 2 ** 30 ? 'a' : 'b';
};
const letters = `${Array.from({ length: megabyte - 1 }, nextLetter).join('')}c`;
const payload: JsonObject = {
  numbers,
  texts,
  letters,
  same: `${letters.slice(0, -1)}c`,
  map: Object.fromEntries(texts.map((_, i) => [`k${i}`, i])),
};

const timed = <T>(work: () => T): { result: T; ms: number } => {
  const began = threadMs();
  return { result: work(), ms: threadMs() - began };
};

describe('a hostile condition on the largest payload is cut at its budget', () => {
  const double = (levels: number, what: string): string =>
    `cel.bind(v0, ${what}, ${Array.from({ length: levels }, (_, i) => `cel.bind(v${i + 1}, v${i} + v${i}, `).join('')}` +
    `size(v${levels}) > 0${')'.repeat(levels + 1)}`;
  const hostile: [string, string][] = [
    [
      'loops in loops',
      'payload.numbers.all(a, payload.numbers.all(b, payload.numbers.all(c, a + b + c >= 0)))',
    ],
    ['a search in every turn', 'payload.numbers.all(a, !("x" in payload.numbers))'],
    ['lists compared in every turn', 'payload.numbers.all(a, payload.texts == payload.texts.map(t, t))'],
    ['maps compared in every turn', 'payload.numbers.all(a, payload.map != payload.map.map(k, k))'],
    ['long texts compared in every turn', 'payload.numbers.all(a, payload.letters == payload.same)'],
    ['long texts scanned in every turn', 'payload.numbers.all(a, !payload.letters.contains("abcabc"))'],
    [
      'long texts counted in every turn',
      'payload.numbers.all(a, payload.letters.size() > 0 && payload.letters.lowerAscii() != "")',
    ],
    ['texts split in every turn', 'payload.numbers.all(a, payload.letters.split("a").size() > 0)'],
    ['texts joined to more than fits', 'payload.texts.join(payload.letters).size() > 0'],
    ['lists that double', double(20, 'payload.numbers')],
    ['texts that double', double(20, 'payload.letters')],
    ['lists of lists', 'payload.numbers.map(a, payload.numbers.map(b, b)).size() > 0'],
    ['time zones in every turn', 'payload.numbers.all(a, event.received_at.getHours("Europe/Berlin") >= 0)'],
    ['a repetition that thrashes', 're2(payload.letters, "(a|b)*a(a|b){150}c")'],
    ['two of them', 're2(payload.letters, "a(a|b){300}a(a|b){300}c")'],
    ['patterns in every turn', 'payload.texts.all(t, !re2(payload.letters, "[a-b]{1,200}x$"))'],
  ];
  for (const [what, text] of hostile) {
    test(what, () => {
      const condition = compileCondition(text);
      const { result, ms } = timed(() => condition.evaluate(scopeWith(payload)));
      expect(result.kind).toBe('over_budget');
      expect(ms).toBeLessThan(ALLOWED_MS);
    });
  }

  test('and nothing absorbs that', () => {
    const forever = 'payload.numbers.all(a, payload.numbers.all(b, true))';
    for (const text of [`${forever} || true`, `[1].exists(x, ${forever} || true)`])
      expect(compileCondition(text).evaluate(scopeWith(payload)).kind).toBe('over_budget');
  });
});

describe('what is merely large is not cut: it takes a small part of the steps that fit into the budget', () => {
  const LONG_MS = 60_000;
  /** Steps of a pattern are counted as what they would cost at worst, and take a tenth of that. */
  const large: [string, string, number][] = [
    ['one pass over half a million numbers', 'payload.numbers.all(n, n < 10)', 2_000_000],
    ['a search through all of it', '!("x" in payload.numbers) && payload.letters.contains("c")', 1_000_000],
    [
      'a plain pattern over a megabyte',
      '!re2(payload.letters, "(?i)refund|chargeback") && !re2(payload.letters, "order-[0-9]+")',
      25_000_000,
    ],
  ];
  for (const [what, text, mostSteps] of large) {
    test(what, () => {
      const budget = new Budget(mostSteps, LONG_MS);
      expect(compileExpression(text).evaluate(scopeWith(payload), budget)).toBe(true);
    });
  }
});

describe('a text that repeats itself is searched in time that grows with its length alone', () => {
  const long = 400_000;
  const half = 'b'.repeat(long / 4);
  const periodic: JsonObject = { text: 'b'.repeat(long), wanted: `${half}ac${half}` };
  const searches: [string, string][] = [
    ['contains', '!payload.text.contains(payload.wanted)'],
    ['indexOf', 'payload.text.indexOf(payload.wanted) == -1'],
    ['indexOf from a place', 'payload.text.indexOf(payload.wanted, 7) == -1'],
    ['lastIndexOf', 'payload.text.lastIndexOf(payload.wanted) == -1'],
    ['split', 'payload.text.split(payload.wanted).size() == 1'],
    ['replace', 'payload.text.replace(payload.wanted, "") == payload.text'],
  ];
  for (const [what, text] of searches) {
    test(what, () => {
      const expression = compileExpression(text);
      // The product of both lengths takes ten seconds and more, both of them a few milliseconds.
      const { result, ms } = timed(() => expression.evaluate(scopeWith(periodic), new Budget(long)));
      expect(result).toBe(true);
      expect(ms).toBeLessThan(ALLOWED_MS);
    });
  }
});

describe('what makes a text of every character counts each of them', () => {
  const long = 64 * 1024;
  const methods: [string, string, string][] = [
    ['letters between others', 'éA', 'payload.t.lowerAscii() != ""'],
    ['one backwards', 'bb', 'payload.t.reverse() != ""'],
    ['one in characters', 'bb', 'payload.t.split("").size() > 0'],
    ['one in parts', 'bb', 'payload.t.split("b", 2).size() > 0'],
    ['one replaced in part', 'bb', 'payload.t.replace("b", "c", 1) != ""'],
  ];
  for (const [what, letters, text] of methods) {
    test(what, () => {
      const budget = new Budget();
      compileExpression(text).evaluate(scopeWith({ t: letters.repeat(long / 2) }), budget);
      expect(budget.spent).toBeGreaterThan(long);
    });
  }
});

describe('what an expression makes is bounded in all, not only each value of it', () => {
  const turns = Array.from({ length: 40 }, (_, i) => i);
  const large = 3_900_000;
  const scope = scopeWith({ turns, a: 'b'.repeat(large), numbers });
  const built: [string, string][] = [
    ['texts', 'payload.turns.map(i, payload.a + string(i)).size() > 0'],
    ['texts that are let go again', 'payload.turns.all(i, (payload.a + string(i)).size() > 0)'],
    ['lists', 'payload.turns.map(i, payload.numbers + [i]).size() > 0'],
    ['lists that a macro makes', 'payload.turns.map(i, payload.numbers.map(n, n)).size() > 0'],
    ['parts', 'payload.turns.map(i, payload.a.split("b")).size() > 0'],
    ['small lists', 'payload.turns.map(i, payload.numbers.map(n, [i, n])).size() > 0'],
    ['small maps', 'payload.turns.map(i, payload.numbers.map(n, {"i": n})).size() > 0'],
  ];
  for (const [what, text] of built) {
    test(what, () => {
      const evaluate = () => compileExpression(text).evaluate(scope, new Budget(1e12, 60_000));
      expect(evaluate).toThrow('67108864 characters in all');
    });
  }

  test('and a long text of many parts is counted once', () => {
    const text = '{{ payload.t }}'.repeat(500);
    const resolved = compileTemplate(text, 'text').resolve(
      scopeWith({ t: 'b'.repeat(8_000) }),
      new Budget(1e12, 60_000),
    );
    expect(resolved).toMatchObject({ kind: 'resolved' });
  });
});

describe('a budget', () => {
  const spendFor = (budget: Budget, ms: number) => {
    for (const began = threadMs(); threadMs() - began < ms; ) budget.spend(65_536);
  };

  test('that has more time than others is not cut when theirs is over', () => {
    expect(() => spendFor(new Budget(Number.POSITIVE_INFINITY, 60_000), BUDGET_MS + 50)).not.toThrow();
    expect(() => spendFor(new Budget(), ALLOWED_MS)).toThrow(`${BUDGET_MS} ms`);
    expect(() => spendFor(new Budget(Number.POSITIVE_INFINITY, 20), ALLOWED_MS)).toThrow('budget of 20 ms');
  });

  test('of steps is cut at the same step on every machine', () => {
    const budget = new Budget(200_000, 60_000);
    expect(() => {
      for (;;) budget.spend(50);
    }).toThrow('more work than is allowed');
    expect(budget.spent).toBeWithin(200_000, 200_000 + 8_192 + 50);
  });
});

describe('a hostile template is cut at its budget', () => {
  const loop = '{{ payload.numbers.map(a, payload.numbers.filter(b, a == b)).size() }}';
  const hostile: [string, JsonObject][] = [
    ['one that loops', { a: loop }],
    [
      'many that each take long',
      Object.fromEntries(
        Array.from({ length: 200 }, (_, i) => [`f${i}`, '{{ payload.numbers.filter(n, n > 5).size() }}']),
      ),
    ],
    ['a text that grows', { a: '{{ payload }}'.repeat(200) }],
    ['a list of the same over and over', { a: '{{ payload.texts.map(t, payload.letters) }}' }],
    ['the payload over and over', { a: Array(2_000).fill('$event.payload') }],
  ];
  for (const [what, template] of hostile) {
    test(what, () => {
      const compiled = compileTemplate(template, 'template');
      const { result, ms } = timed(() => compiled.resolve(scopeWith(payload)));
      expect(result.kind).toBe('over_budget');
      expect(ms).toBeLessThan(ALLOWED_MS);
    });
  }
});
