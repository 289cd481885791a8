import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { corpus } from '../../../test/corpus/pii.ts';
import { payloadAfter, runStep } from '../../../test/support/step.ts';
import { Budget } from '../../core/expressions/cel/budget.ts';
import { type Json, type JsonObject, parseJson, stringifyJson } from '../../core/json/json.ts';
import { createDetectors, detectorNames, findAll } from './redact/redact-text.ts';

const redact = (payload: JsonObject, config: JsonObject = {}) => payloadAfter('redact.pii', config, payload);

describe('redact.pii', () => {
  test('masks what it finds in every text, at any depth, and leaves numbers alone', async () => {
    const payload = {
      customer: { contact: ['ada@example.com', { phone: 'call +49 30 901820!' }], born: 1815 },
      card: '4111 1111 1111 1111',
      iban: 'DE89 3704 0044 0532 0130 00',
      from: '203.0.113.7',
      ssn: '123-45-6789',
      number: 4111111111111111,
    };
    expect(await redact(payload)).toEqual({
      customer: { contact: ['[email]', { phone: 'call [phone]!' }], born: 1815 },
      card: '[credit_card]',
      iban: '[iban]',
      from: '[ip]',
      ssn: '[us_ssn]',
      number: 4111111111111111,
    });
  });

  test('nine digits are a social security number in a field that says so, and an id in another', async () => {
    const named = {
      ssn: '219099999',
      customer: { taxId: '927-714821', socialSecurityNumbers: ['457555462'], spouse_ssn: '45755-5462' },
    };
    expect(await redact(named)).toEqual({
      ssn: '[us_ssn]',
      customer: { taxId: '[us_ssn]', socialSecurityNumbers: ['[us_ssn]'], spouse_ssn: '[us_ssn]' },
    });
    const others = { order: '219099999', listing: '457555462', zip: '45755-5462', ssn: '000000000' };
    expect(await redact(others)).toEqual(others);
  });

  test('looks at the names of fields too, and loses none', async () => {
    const payload = parseJson(
      '{"a@example.com":1,"b@example.com":{"c@example.com":2},"d@example.com":3,"plain":4,"[email] (b)":5}',
    ) as JsonObject;
    expect(await redact(payload)).toEqual({
      '[email]': 1,
      '[email] (b)': 5,
      '[email] (c)': { '[email]': 2 },
      '[email] (d)': 3,
      plain: 4,
    });
  });

  test('loses no field where a name becomes one that was given to another', async () => {
    const payload = parseJson('{"a@x.com":1,"c@x.com":2,"joe@x.com (b)":3}') as JsonObject;
    expect(await redact(payload)).toEqual({ '[email]': 1, '[email] (b)': 2, '[email] (b) (b)': 3 });
  });

  test('removes, or puts a hash that is the same for the same value', async () => {
    const payload = {
      a: 'to Ada@Example.com now',
      b: 'ada@example.com',
      c: '+49 30 901820',
      d: '+4930901820',
    };
    expect(await redact(payload, { mode: 'remove' })).toEqual({ a: 'to  now', b: '', c: '', d: '' });
    const hashed = (await redact(payload, { mode: 'hash' })) as Record<string, string>;
    expect(hashed.a).toMatch(/^to \[email:[0-9a-f]{16}\] now$/);
    expect(hashed.a).toContain(hashed.b as string);
    expect(hashed.c).toMatch(/^\[phone:[0-9a-f]{16}\]$/);
    expect(hashed.d).toBe(hashed.c as string);
    const other = await payloadAfter('redact.pii', { mode: 'hash' }, payload, { orgId: 'org_2' });
    expect((other as JsonObject).b).not.toBe(hashed.b as string);
  });

  test('takes fields away whole in every mode, and never touches what is kept', async () => {
    const payload = {
      customer: { name: 'Ada', email: 'ada@example.com' },
      shop: { email: 'shop@example.com', other: ['x@example.com', 'y@example.com'] },
    };
    const config = { fields: ['customer.name'], keep: ['shop.email', 'shop.other[1]'] };
    for (const [mode, token] of [
      ['mask', '[email]'],
      ['remove', ''],
    ] as const)
      expect(await redact(payload, { ...config, mode })).toEqual({
        customer: { email: token },
        shop: { email: 'shop@example.com', other: [token, 'y@example.com'] },
      });
  });

  test('finds only what it is told to, and national numbers only where a region is set', async () => {
    const payload = { a: 'ada@example.com 203.0.113.7', b: '030 901820' };
    expect(await redact(payload, { detectors: ['ip'] })).toEqual({
      a: 'ada@example.com [ip]',
      b: '030 901820',
    });
    expect(await redact(payload, { detectors: [] })).toEqual(payload);
    expect(await redact(payload, { detectors: ['phone'], region: 'DE' })).toEqual({
      a: 'ada@example.com 203.0.113.7',
      b: '[phone]',
    });
  });

  test('answers the very same payload where there is nothing to redact', async () => {
    const payload = { a: ['order 12'], b: { c: 'x' } };
    const result = await runStep('redact.pii', { keep: ['a'] }, payload);
    expect(result.scope.payload).toBe(payload);
    expect(result.trace.steps[0]?.outcome).toBe('kept');
  });

  test('a field named __proto__ stays a field', async () => {
    const payload = parseJson('{"__proto__":{"mail":"ada@example.com"},"x@example.com":1}') as JsonObject;
    expect(stringifyJson(await redact(payload))).toBe('{"__proto__":{"mail":"[email]"},"[email]":1}');
  });

  test.each([
    [{ region: 'XX' }, 'steps[0].config.region'],
    [{ detectors: ['names'] }, 'steps[0].config.detectors[0]'],
    [{ fields: ['a..b'] }, 'steps[0].config.fields[0]'],
    [{ keep: ['a', 'b['] }, 'steps[0].config.keep[1]'],
    [{ mode: 'burn' }, 'steps[0].config.mode'],
  ] as [JsonObject, string][])('refuses %j', (config, path) => {
    expect(() => runStep('redact.pii', config, {})).toThrow(expect.objectContaining({ path }));
  });
});

describe('whatever comes in, nothing is left that the detectors still find', () => {
  const detectors = createDetectors(detectorNames, 'US');
  const textsOf = (value: Json): string[] => {
    if (typeof value === 'string') return [value];
    if (typeof value !== 'object' || value === null) return [];
    return Array.isArray(value)
      ? value.flatMap(textsOf)
      : Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]);
  };
  const fragment = fc.oneof(
    fc.constantFrom(...corpus.map(({ text }) => text)),
    fc.constantFrom(
      '@',
      '+',
      '.',
      ':',
      '::',
      ' ',
      '-',
      '(',
      ')',
      '0',
      '00',
      '4111',
      '[email]',
      '[phone:12',
      ']',
    ),
    fc.string({ maxLength: 5 }),
    fc.stringMatching(/^[0-9 .:+-]{1,20}$/),
  );
  const text = fc.array(fragment, { maxLength: 8 }).map(parts => parts.join(''));
  const payload = fc.oneof(
    fc.dictionary(
      text,
      fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.dictionary(text, text, { maxKeys: 2 })),
      { maxKeys: 4 },
    ),
    fc.record({ value: fc.jsonValue() }),
  ) as fc.Arbitrary<JsonObject>;

  test('a number in a name makes it no field of such numbers', async () => {
    const redacted = await redact({ 'co-signer 145-67-8901?': ['MMSI 211234560'] }, { mode: 'mask' });
    expect(redacted).toEqual({ 'co-signer [us_ssn]?': ['MMSI 211234560'] });
    expect(await redact(redacted as JsonObject, { mode: 'mask' })).toEqual(redacted);
  });

  for (const mode of ['mask', 'remove', 'hash']) {
    test(`in mode ${mode}`, async () => {
      await fc.assert(
        fc.asyncProperty(payload, async value => {
          const redacted = await redact(value, { mode, region: 'US' });
          for (const one of textsOf(redacted as Json))
            expect([one, findAll(one, detectors, new Budget())]).toEqual([one, []]);
          expect(await redact(redacted as JsonObject, { mode, region: 'US' })).toEqual(
            redacted as JsonObject,
          );
        }),
        { numRuns: 300 },
      );
    });
  }
});
