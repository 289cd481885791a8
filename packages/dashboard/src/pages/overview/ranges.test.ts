import { expect, test } from 'bun:test';
import { addressOfRange, describeRange, listedWithin, queryOfRange, rangeOf } from './ranges.ts';

const from = '2026-05-01T12:00:00.000Z';
const to = '2026-05-01T13:30:00.000Z';

test('an address without a word means the last hour, and comes back as it was', () => {
  expect(rangeOf({})).toEqual({ span: '1h', between: null });
  const addresses: Record<string, string>[] = [{}, { range: '7d' }, { from, to }, { range: '24h', from, to }];
  for (const address of addresses) {
    expect(addressOfRange(rangeOf(address))).toEqual(address);
  }
});

test('what an address cannot mean is left out', () => {
  expect(rangeOf({ range: 'all', from: 'yesterday', to }).between).toBeNull();
  expect(rangeOf({ from: to, to: from })).toEqual({ span: '1h', between: null });
  expect(rangeOf({ from })).toEqual({ span: '1h', between: null });
});

test('the server is asked for minutes or for two moments, and lists for the steps of the chart', () => {
  expect(queryOfRange(rangeOf({ range: '24h' }))).toEqual({ minutes: 1_440 });
  expect(listedWithin(rangeOf({ range: '24h' }))).toEqual({ within: '24h' });
  const range = rangeOf({ from: '2026-05-01T12:00:30.000Z', to: '2026-05-01T12:10:01.000Z' });
  expect(queryOfRange(range)).toEqual({ from: '2026-05-01T12:00:30.000Z', to: '2026-05-01T12:10:01.000Z' });
  expect(listedWithin(range)).toEqual({
    after: '2026-05-01T11:59:59.999Z',
    before: '2026-05-01T12:11:00.000Z',
  });
});

test('a range is described with its day, once where it is one day', () => {
  expect(describeRange(rangeOf({ range: '7d' }))).toBe('in the last 7 days');
  const noon = new Date(2026, 4, 1, 12, 0);
  const later = (days: number) => new Date(2026, 4, 1 + days, 13, 30);
  const between = (end: Date) => rangeOf({ from: noon.toISOString(), to: end.toISOString() });
  expect(describeRange(between(later(0)))).toBe('1 May, 12:00 to 13:30');
  expect(describeRange(between(later(1)))).toBe('1 May, 12:00 to 2 May, 13:30');
  // Its figures are of whole steps, here of a quarter of an hour.
  const odd = rangeOf({ from: new Date(2026, 4, 1, 12, 7).toISOString(), to: later(1).toISOString() });
  expect(describeRange(odd)).toBe('1 May, 12:00 to 2 May, 13:30');
});
