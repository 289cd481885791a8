import type { JsonSchema } from '../../../src/web/openapi/schemas.ts';
import type { Seeded } from '../../corpus/seeded.ts';

/** A piece of JSON as it is written, which no value in memory stands for. */
export class RawJson {
  constructor(readonly text: string) {}
}

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

/** Texts that some part of a service may stumble over. */
export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  'true',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud800',
  'x\udfff',
  '\u202eevil\u202c',
  '\u2066\u2069\u200b\ufeff',
  'e\u0301\u0327\u0489'.repeat(20),
  '👩‍👩‍👧‍👦'.repeat(30),
  '\u{10ffff}',
  '\u0085\u2028\u2029',
  '\r\nX-Injected: 1',
  '\t\n\v\f\u007f',
  `'; DROP TABLE events; --`,
  `" OR ""="`,
  '%_\\%',
  '%00',
  '$1',
  '{{ payload.x }}',
  '{{',
  '$event.payload',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '.',
  '..',
  '<script>alert(1)</script>',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'http://127.0.0.1:9/',
  'http://[::1]:9/',
  'http://user:pass@127.0.0.1:9/',
  '1e999',
  '99999999999999999999999999',
  '2026-01-31T12:00:00Z',
  '9999-12-31T23:59:60+23:59',
  '0000-00-00T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  'a.b[0]["c"]',
  'a'.repeat(65),
  'x'.repeat(257),
  '字'.repeat(1_025),
  'payload.x.exists(e, e == 2)',
  '[].all(x, 1/0 > x)',
  're2(payload.x, "(a+)+$")',
  'size("',
  `${'('.repeat(300)}1${')'.repeat(300)}`,
  '"\\u0000" + "\\ud800"',
  'timestamp("0000-00-00T00:00:00Z") + duration("9999999999h")',
];

/** Values of every type, the odd ones first of all. */
const hostileJson: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => 0,
  () => -1,
  () => 1.5,
  () => 2 ** 53,
  () => -(2 ** 63),
  () => 1e308,
  () => new RawJson('-0'),
  () => new RawJson('1e999'),
  () => new RawJson('-1e-999'),
  () => new RawJson('123456789012345678901234567890'),
  () => new RawJson('1.0'),
  () => new RawJson('01'),
  () => new RawJson('NaN'),
  () => new RawJson('"\\ud800"'),
  () => new RawJson('"\\u0000"'),
  () => new RawJson('"\\x"'),
  () => new RawJson('{"a":1,"a":2}'),
  () => new RawJson('{"__proto__":{"polluted":true}}'),
  () => new RawJson(nested(65, '[', ']')),
  () => new RawJson(nested(5_000, '[', ']')),
  () => new RawJson(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`),
  () => [],
  () => [[]],
  () => {},
  () => [null],
  () => ({ '': '' }),
  () => ({ set: true }),
  () => ({ constructor: { prototype: { polluted: true } } }),
  () => Array.from({ length: 1_500 }, (_, n) => n),
  () => Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`k${n}`, n])),
];

const HUGE = 300_000;

export function hostileValue(random: Seeded, names: readonly string[]): unknown {
  const kind = random.between(0, 99);
  if (kind < 40) return random.oneOf(hostileTexts);
  if (kind < 60) return random.oneOf(names);
  if (kind < 61) return 'x'.repeat(random.oneOf([70_000, HUGE]));
  return random.oneOf(hostileJson)();
}

/** Some value that a schema allows, or nearly: what it cannot say is left to chance. */
export function valueFor(
  schema: JsonSchema & SchemaRest,
  random: Seeded,
  names: readonly string[],
  depth = 0,
): unknown {
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices && choices.length > 0) return valueFor(random.oneOf(choices), random, names, depth);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.oneOf(schema.enum);
  const [example] = schema.examples ?? [];
  if (example !== undefined && random.between(0, 1) === 0) return example;
  switch (schema.type) {
    case 'object': {
      const required = new Set(schema.required);
      const chosen = Object.entries(schema.properties ?? {}).filter(
        ([name]) => required.has(name) || random.between(0, 2) > 0,
      );
      const fields = chosen.map(
        ([name, inner]) => [name, valueFor(inner, random, names, depth + 1)] as const,
      );
      if (!schema.properties) fields.push([random.oneOf(['a', 'b', '__proto__']), depth > 3 ? 1 : { n: 1 }]);
      return Object.fromEntries(fields);
    }
    case 'array': {
      const count = random.between(schema.minItems ?? 0, (schema.minItems ?? 0) + 2);
      return Array.from({ length: count }, () => valueFor(schema.items ?? {}, random, names, depth + 1));
    }
    case 'string':
      return random.oneOf([...names, random.letters(6), 'order.paid', ...hostileTexts.slice(-8)]);
    case 'number':
    case 'integer':
      return random.between(schema.minimum ?? -1, (schema.minimum ?? 0) + 100);
    case 'boolean':
      return random.between(0, 1) === 1;
    default:
      return hostileValue(random, names);
  }
}

/** What zod writes beyond what the reference pages show. */
interface SchemaRest {
  readonly anyOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

/** Another value in place of some part of this one: wrong, missing, unknown, or of another call. */
export function spoil(value: unknown, random: Seeded, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || value instanceof RawJson || random.between(0, 7) === 0) {
    return hostileValue(random, names);
  }
  if (Array.isArray(value)) {
    if (value.length === 0 || random.between(0, 3) === 0) return [...value, hostileValue(random, names)];
    const at = random.between(0, value.length - 1);
    return value.map((item, n) => (n === at ? spoil(item, random, names) : item));
  }
  const fields = Object.entries(value);
  const at = random.between(0, Math.max(0, fields.length - 1));
  switch (random.between(0, 5)) {
    case 0:
      return Object.fromEntries(fields.filter((_, n) => n !== at));
    case 1:
      return Object.fromEntries([...fields, [random.oneOf(hostileTexts), hostileValue(random, names)]]);
    default:
      return Object.fromEntries(
        fields.map(([name, inner], n) => [name, n === at ? spoil(inner, random, names) : inner]),
      );
  }
}

/** JSON as few programs write it: keys in any order, some of them twice, blanks anywhere. */
export function writeJson(value: unknown, random: Seeded): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(item => writeJson(item, random)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(name)}:${writeJson(inner, random)}`,
  );
  if (fields.length > 1 && random.between(0, 3) === 0) fields.reverse();
  if (fields.length > 0 && random.between(0, 9) === 0) fields.push(random.oneOf(fields));
  return `{${fields.join(random.between(0, 9) === 0 ? ' ,\n\t' : ',')}}`;
}
