import { expect, test } from 'bun:test';
import { changesOf } from './changes.ts';

const begun = { name: 'Shop', rate: { per_second: 10, burst: 20 }, schedule: [0, 5] };

test('only what somebody changed is saved', () => {
  expect(changesOf(begun, begun, begun)).toEqual({});
  expect(changesOf(begun, { ...begun, name: 'Store' }, begun)).toEqual({ name: 'Store' });
  expect(changesOf(begun, { ...begun, schedule: [0] }, begun)).toEqual({ schedule: [0] });
});

test('what others changed meanwhile is not undone', () => {
  const now = { ...begun, name: 'Renamed elsewhere', rate: { per_second: 1, burst: 20 } };
  expect(changesOf(begun, { ...begun, schedule: [] }, now)).toEqual({ schedule: [] });
  expect(changesOf(begun, { ...begun, rate: { per_second: 10, burst: 7 } }, now)).toEqual({
    rate: { per_second: 1, burst: 7 },
  });
});

test('a field that was emptied is left out, and one that came meanwhile is kept', () => {
  const config = { url: 'https://a', header: 'X' };
  const now = { config: { url: 'https://a', header: 'X', previous_secret: { set: true } } };
  expect(changesOf({ config }, { config: { url: 'https://b' } } as { config: typeof config }, now)).toEqual({
    config: { url: 'https://b', previous_secret: { set: true } } as never,
  });
});
