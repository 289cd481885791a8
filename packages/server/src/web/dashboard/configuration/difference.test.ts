import { expect, test } from 'bun:test';
import { fieldChanges } from './difference.ts';

test('names each field that differs, and no other', () => {
  const before = { enabled: true, rate: { per_second: 1, burst: 2 }, list: [1, 2], same: { a: [1] } };
  const after = { enabled: true, rate: { per_second: 5, burst: 2 }, list: [2], same: { a: [1] }, more: 'x' };
  expect(fieldChanges(before, after)).toEqual([
    { path: 'rate.per_second', before: 1, after: 5 },
    { path: 'list', before: [1, 2], after: [2] },
    { path: 'more', before: null, after: 'x' },
  ]);
});

test('the order of fields means something in steps alone', () => {
  const set = (...names: string[]) => Object.fromEntries(names.map(name => [name, 1]));
  const steps = (config: object) => [{ kind: 'transform', config: { set: config } }];
  expect(fieldChanges({ config: set('a', 'b') }, { config: set('b', 'a') })).toEqual([]);
  expect(
    fieldChanges({ steps: steps(set('a', 'b')) } as never, { steps: steps(set('b', 'a')) } as never),
  ).toEqual([{ path: 'steps[0].config.set', before: set('a', 'b'), after: set('b', 'a') }]);
});

test('a step that is added is shown whole', () => {
  const step = (n: number) => ({ kind: 'filter.match', config: { condition: `payload.n > ${n}` } });
  expect(fieldChanges({ steps: [step(1)] }, { steps: [step(1), step(2)] })).toEqual([
    { path: 'steps[1]', before: null, after: step(2) },
  ]);
});
