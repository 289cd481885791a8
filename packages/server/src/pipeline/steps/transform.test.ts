import { describe, expect, test } from 'bun:test';
import { payloadAfter, runPipeline, runStep } from '../../../test/support/step.ts';
import { BUDGET_MS, threadMs } from '../../core/expressions/cel/budget.ts';
import { type JsonObject, parseJson, stringifyJson } from '../../core/json/json.ts';
import { compilePipeline } from '../definitions/compile.ts';

const transform = (config: JsonObject, payload: JsonObject) => payloadAfter('transform', config, payload);

describe('transform', () => {
  test('renames, sets and removes, in that order', async () => {
    const payload = { customer: { mail: 'ada@example.com', tmp: 1 }, total: 5 };
    const config = {
      rename: { 'customer.mail': 'email', total: 'amount.value' },
      set: {
        copy: '$event.payload.email',
        'amount.text': '{{ payload.amount.value }} EUR',
        fixed: [1, { a: null }],
      },
      remove: ['customer.tmp', 'nothing.here'],
    };
    expect(await transform(config, payload)).toEqual({
      customer: {},
      email: 'ada@example.com',
      amount: { value: 5, text: '5 EUR' },
      copy: 'ada@example.com',
      fixed: [1, { a: null }],
    });
  });

  test('lets fields change places', async () => {
    expect(await transform({ rename: { a: 'b', b: 'a' } }, { a: 1, b: 2 })).toEqual({ a: 2, b: 1 });
    expect(
      await transform({ set: { a: '$event.payload.b', b: '$event.payload.a' } }, { a: 1, b: 2 }),
    ).toEqual({
      a: 2,
      b: 1,
    });
  });

  test('makes a whole new payload of a template', async () => {
    const template = {
      id: '$event.payload.id',
      type: '$event.type',
      who: { name: '{{ payload.first }} {{ payload.last }}', plan: '$event.entity.traits.plan' },
      gone: '$event.payload.absent',
    };
    const payload = parseJson('{"id":9007199254740993,"first":"Ada","last":"L."}') as JsonObject;
    expect(await transform({ template }, payload)).toEqual({
      id: 9007199254740993n,
      type: 'order.created',
      who: { name: 'Ada L.', plan: 'pro' },
    });
  });

  test('leaves out what is absent, and the field as it was', async () => {
    expect(await transform({ rename: { x: 'y' }, set: { a: '$event.payload.x' } }, { a: 1 })).toEqual({
      a: 1,
    });
    const result = await runStep('transform', { rename: { x: 'y' }, remove: ['z'] }, { a: 1 });
    expect(result.trace.steps[0]?.outcome).toBe('kept');
  });

  test('fails where a value would be lost, and says which', async () => {
    expect(await transform({ set: { 'a.b': 1 } }, { a: 'text' })).toBe('a.b cannot be set: a holds a string');
    expect(await transform({ rename: { x: 'list[5]' } }, { x: 1, list: [] })).toBe(
      'list[5] cannot be set: list has 0 items, so it has no [5]',
    );
  });

  test('into __proto__ changes no prototype', async () => {
    const config = parseJson(
      '{"set":{"__proto__.polluted":true},"rename":{"__proto__":"proto","constructor":"__proto__"}}',
    ) as JsonObject;
    const payload = parseJson('{"__proto__":{"a":1},"constructor":{"b":2}}') as JsonObject;
    const after = await transform(config, payload);
    expect(stringifyJson(after)).toBe('{"proto":{"a":1},"__proto__":{"b":2,"polluted":true}}');
    expect(({} as JsonObject).polluted).toBeUndefined();
  });

  test.each([
    [{ template: {}, set: { a: 1 } }, 'steps[0].config', 'not both'],
    [{ rename: { a: 1 } }, 'steps[0].config.rename', 'paths to paths'],
    [{ rename: { 'a..b': 'c' } }, 'steps[0].config.rename["a..b"]', '(at character 3)'],
    [{ set: { a: { b: '{{ payload. }}' } } }, 'steps[0].config.set.a.b', '(at character'],
    [{ set: { 'a[': 1 } }, 'steps[0].config.set["a["]', '(at character 2)'],
    [{ remove: ['a', ''] }, 'steps[0].config.remove[1]', '(at character 1)'],
    [{ template: { a: ['$event.paylod'] } }, 'steps[0].config.template.a[0]', '(at character 8)'],
    [{ template: [] }, 'steps[0].config.template', 'must be an object'],
    [{ sett: {} }, 'steps[0].config.sett', 'not a known field'],
  ] as [JsonObject, string, string][])('refuses %j', (config, path, message) => {
    const refused = expect.objectContaining({ path, message: expect.stringContaining(message) });
    expect(() => runStep('transform', config, {})).toThrow(refused);
  });
});

describe('many changes to the largest payload end within the budget of a step, or are cut there', () => {
  /** A machine may be slow and busy; without a budget these take many times longer. */
  const ALLOWED_MS = 10 * BUDGET_MS;
  const names = Array.from({ length: 70_000 }, (_, i) => `k${i.toString(36).padStart(4, '0')}`);
  const wide: JsonObject = Object.fromEntries(names.map(name => [name, 1]));
  const long: JsonObject = { list: Array<number>(500_000).fill(1) };
  const places = names.map((_, i) => `list[${i}]`);
  const some = names.slice(0, 5_000);
  test.each([
    ['set', wide, { set: Object.fromEntries(some.map(name => [name, 2])) }],
    ['rename', wide, { rename: Object.fromEntries(some.map(name => [name, `x.${name}`])) }],
    ['remove', wide, { remove: some }],
    ['set in a list', long, { set: Object.fromEntries(places.slice(0, 5_000).map(place => [place, 2])) }],
    ['remove from a list', long, { remove: places }],
  ] as [string, JsonObject, JsonObject][])('%s', async (_, payload, config) => {
    const compiled = compilePipeline([{ kind: 'transform', config }]);
    const began = threadMs();
    const result = await runPipeline(compiled, payload);
    expect(threadMs() - began).toBeLessThan(ALLOWED_MS);
    expect(result.kind).toBe('settled');
  });
});
