import { describe, expect, test } from 'bun:test';
import { scopeWith } from '../../../test/support/scope.ts';
import { Problem } from '../errors.ts';
import { type Json, type JsonObject, parseJson, stringifyJson } from '../json/json.ts';
import { compileTemplate } from './template.ts';

const payload = parseJson(
  '{"customer":{"id":9007199254740993,"name":"Ada"},"items":[{"sku":"A"},{"sku":"B"}],"total":12.5,"none":null,"x.y":true}',
) as JsonObject;

const resolve = (value: Json, change: Parameters<typeof scopeWith>[1] = {}) => {
  const resolved = compileTemplate(value, 'set').resolve(scopeWith(payload, change));
  if (resolved.kind === 'over_budget') throw new Error(resolved.reason);
  return resolved.value;
};

const refusal = (value: Json): { message: string; path: string | undefined } => {
  try {
    compileTemplate(value, 'set').check();
  } catch (error) {
    if (error instanceof Problem) return { message: error.message, path: error.path };
    throw error;
  }
  throw new Error('it was not refused');
};

describe('a reference', () => {
  test('takes a value with its type', () => {
    expect(resolve('$event.payload.customer.id')).toBe(9007199254740993n);
    expect(resolve('$event.payload.total')).toBe(12.5);
    expect(resolve('$event.payload.none')).toBeNull();
    expect(resolve('$event.payload.items[1]')).toEqual({ sku: 'B' });
    expect(resolve('$event.payload["x.y"]')).toBe(true);
    expect(resolve('$event.payload')).toBe(payload);
  });

  test('knows every name that conditions know', () => {
    expect(resolve('$event.type')).toBe('order.created');
    expect(resolve('$event.icon')).toBe('🛒');
    expect(resolve('$event.sender_id')).toBe('order-1');
    expect(resolve('$event.received_at')).toBe('2026-01-31T12:00:00.000Z');
    expect(resolve('$event.timestamp')).toBe('2026-01-31T11:59:00.000Z');
    expect(resolve('$event.labels.severity', { labels: { severity: 'high' } })).toBe('high');
    expect(resolve('$event.entity.kind')).toBe('customer');
    expect(resolve('$event.entity.traits.plan')).toBe('pro');
    expect(resolve('$event.source.name')).toBe('Shop');
  });

  test('to something absent is left out', () => {
    expect(resolve('$event.payload.nope.deep')).toBeUndefined();
    expect(resolve('$event.icon', { event: { icon: null } })).toBeUndefined();
    expect(
      resolve({ a: '$event.payload.nope', b: ['$event.payload.nope', 1], c: { d: '$event.labels.x' } }),
    ).toEqual({
      b: [1],
      c: {},
    });
  });

  const bare = { event: { entity: null }, traits: null, sourceName: null };

  test('to an entity, a source or headers that the event has not is left out', () => {
    const all = { e: '$event.entity', s: '$event.source', h: '$event.headers', l: '$event.labels' };
    expect(resolve(all, bare)).toEqual({ l: {} });
    expect(resolve('$event.entity.kind', bare)).toBeUndefined();
    expect(resolve('$event.headers', { event: { headers: '{}' } })).toBeUndefined();
    expect(resolve(all, { event: { headers: '{"x-kind":"a"}' } })).toEqual({
      e: { kind: 'customer', external_id: 'c-1', traits: { plan: 'pro' } },
      s: { name: 'Shop' },
      h: { 'x-kind': 'a' },
      l: {},
    });
  });

  test('may stand at any depth, beside what is constant', () => {
    const constant = { list: [1, 'two'] };
    const resolved = resolve({
      a: [{ b: '$event.payload.total' }],
      constant,
      big: 9007199254740993n,
    }) as JsonObject;
    expect(resolved).toEqual({ a: [{ b: 12.5 }], constant, big: 9007199254740993n });
  });

  test('never reaches a prototype', () => {
    expect(resolve('$event.payload.constructor')).toBeUndefined();
    expect(resolve('$event.payload.__proto__')).toBeUndefined();
    const filled = resolve(parseJson('{"__proto__":{"x":"$event.payload.total"}}')) as JsonObject;
    expect(stringifyJson(filled)).toBe('{"__proto__":{"x":12.5}}');
  });

  test('a text that only looks like one is a text', () => {
    for (const text of ['$events.payload', 'a $event.payload.total', '$eventual', '{ {x} }'])
      expect(resolve(text)).toBe(text);
  });
});

describe('an expression inside a text', () => {
  test('is put there as text', () => {
    expect(resolve('{{ payload.customer.name }} paid {{payload.total}} EUR')).toBe('Ada paid 12.5 EUR');
    expect(resolve('#{{ payload.customer.id }}')).toBe('#9007199254740993');
    expect(resolve('{{ payload.total + 1 }} {{ payload.items.size() }} {{ 1 == 1 }}')).toBe('13.5 2 true');
    expect(resolve('at {{ event.received_at }}')).toBe('at 2026-01-31T12:00:00.000Z');
  });

  test('is empty where it is absent, null or an error', () => {
    expect(resolve('[{{ payload.nope }}{{ payload.none }}{{ payload.customer + 1 }}]')).toBe('[]');
    const bare = { event: { entity: null, headers: '{}' }, traits: null, sourceName: null };
    expect(resolve('[{{ entity }}{{source}}{{ event.headers }}{{ event.entity }}]', bare)).toBe('[]');
    expect(resolve('{{ source }}{{ labels }}')).toBe('{"name":"Shop"}{}');
  });

  test('that is an object or a list is JSON', () => {
    expect(resolve('{{ payload.customer }}')).toBe('{"id":9007199254740993,"name":"Ada"}');
    expect(resolve('{{ payload.items.map(i, i.sku) }}')).toBe('["A","B"]');
  });

  test('may hold braces and quotes of its own', () => {
    expect(resolve('{{ {"a": {"b": "}}"}}.a.b }}!')).toBe('}}!');
    expect(resolve(`{{ '{{' + "\\"}}" }}{{ """}}""" }}`)).toBe('{{"}}}}');
    expect(resolve('{{ "a" }}}')).toBe('a}');
  });
});

describe('a mistake is refused at its field and character', () => {
  test.each([
    [{ a: ['$event.paylod.x'] }, 'set.a[0]', 'There is no $event.paylod', 8],
    ['$event', 'set', '$event. must be followed by', 7],
    ['$event.payload.items[x]', 'set', 'A path reads like', 21],
    ['$event.type.x', 'set', '$event.type has no fields', 12],
    [{ 'x.y': 'total: {{ payload.total + }}' }, 'set["x.y"]', 'ends too early', 27],
    ['{{ pyload.total }}', 'set', 'Unknown variable', 4],
    ['{{ payload.total', 'set', 'This {{ has no }}', 1],
    ['{{ }}', 'set', 'An expression is expected', 3],
    ['{{ payload.a.matches("x") }}', 'set', 're2(text, pattern)', 4],
  ] as [Json, string, string, number][])('%j', (value, path, message, character) => {
    const found = refusal(value);
    expect(found.path).toBe(path);
    expect(found.message).toContain(message);
    expect(found.message).toContain(`(at character ${character})`);
  });

  test('text that could be stored nowhere too', () => {
    expect(refusal({ a: 'x\0' }).path).toBe('set.a');
    expect(refusal({ a: '\ud800' }).path).toBe('set.a');
  });
});

test('traits are asked for only where they are read', () => {
  const reads = (value: Json) => compileTemplate(value, 'set').readsTraits;
  expect(reads({ a: '$event.entity.traits.plan' })).toBe(true);
  expect(reads('{{ entity.traits.plan }}')).toBe(true);
  expect(reads(['$event.entity'])).toBe(true);
  expect(reads({ a: '$event.entity.kind', b: '{{ entity.external_id }}' })).toBe(false);
});
