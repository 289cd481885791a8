import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { fieldChanges } from './changes.ts';

test('what was added, removed and changed is listed by its path', () => {
  const before = { payload: { a: 1, mail: 'x@y.z', items: [{ sku: 'a' }], gone: true }, labels: {} };
  const after = {
    payload: { a: 1, mail: '[email]', items: [{ sku: 'b' }, 2], 'unit price': 9007199254740993n },
    labels: { mood: 'good' },
  };
  expect(fieldChanges(before, after)).toEqual([
    { path: 'payload.mail', kind: 'changed', before: '"x@y.z"', after: '"[email]"' },
    { path: 'payload.items[0].sku', kind: 'changed', before: '"a"', after: '"b"' },
    { path: 'payload.items[1]', kind: 'added', before: '', after: '2' },
    { path: 'payload.gone', kind: 'removed', before: 'true', after: '' },
    { path: 'payload["unit price"]', kind: 'added', before: '', after: '9007199254740993' },
    { path: 'labels.mood', kind: 'added', before: '', after: '"good"' },
  ]);
});

test('a value differs in nothing from itself, and in something from any other', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => expect(fieldChanges(value, structuredClone(value))).toEqual([])),
  );
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      if (Bun.deepEquals(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)))) return;
      expect(fieldChanges(one, other).length).toBeGreaterThan(0);
    }),
  );
});
