import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { TextReader, TextWriter } from './packed-text.ts';

const texts = fc.oneof(
  fc.string({ unit: 'binary' }).map(text => text.replaceAll('\0', '')),
  fc.constantFrom('', '\u0001', '\u0001\u0001', '\u0001x', 'null', '{"a":"\\u0000"}'),
);

/** Nothing of ours tells a zero below from a zero above. */
const numbers = fc.double({ noNaN: true }).map(n => (n === 0 ? 0 : n));

test('whatever is written is read, in order', () => {
  const values = fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('text' as const), value: texts }),
      fc.record({ kind: fc.constant('textOrNull' as const), value: fc.option(texts) }),
      fc.record({ kind: fc.constant('number' as const), value: numbers }),
      fc.record({ kind: fc.constant('numberOrNull' as const), value: fc.option(fc.integer()) }),
      fc.record({ kind: fc.constant('json' as const), value: fc.jsonValue() }),
    ),
  );
  fc.assert(
    fc.property(values, all => {
      const writer = new TextWriter();
      for (const { kind, value } of all) (writer[kind] as (value: unknown) => void).call(writer, value);
      const reader = new TextReader(writer.end());
      for (const { kind, value } of all) {
        expect(reader.hasMore()).toBe(true);
        expect(reader[kind]()).toEqual(kind === 'json' ? JSON.parse(JSON.stringify(value)) : value);
      }
      expect(reader.hasMore()).toBe(false);
    }),
  );
});

test('a NUL that should not be there moves nothing out of its place', () => {
  const reader = new TextReader(new TextWriter().text('a\0b').text('c').end());
  expect([reader.text(), reader.text()]).toEqual(['a\u{FFFD}b', 'c']);
});
