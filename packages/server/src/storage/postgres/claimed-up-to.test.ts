import { expect, test } from 'bun:test';
import { createClaimedUpTo } from './claimed-up-to.ts';

test('a claim goes on where the last one ended, until it is time to look back', () => {
  const claimed = createClaimedUpTo();
  claimed.lookBack(10_000);
  claimed.keep('org_a', 'evt_5');
  claimed.lookBack(10_400);
  expect(claimed.of('org_a')).toBe('evt_5');
  expect(claimed.all()).toEqual([['org_a', 'evt_5']]);
  claimed.lookBack(10_500);
  expect(claimed.of('org_a')).toBe('');
});

test('a clock that was set back does not put off looking back', () => {
  const claimed = createClaimedUpTo();
  claimed.lookBack(10_000);
  claimed.keep('org_a', 'evt_5');
  claimed.lookBack(2_000);
  expect(claimed.of('org_a')).toBe('');
});

test('an organisation with nothing left is looked at from the beginning', () => {
  const claimed = createClaimedUpTo();
  claimed.keep('org_a', 'evt_5');
  claimed.keep('org_a', undefined);
  expect(claimed.of('org_a')).toBe('');
});

test('where nothing is found, only what may be claimed is looked at again', () => {
  const claimed = createClaimedUpTo();
  claimed.keep('org_a', 'evt_5');
  claimed.keep('org_b', 'evt_7');
  expect(claimed.forget(['org_a'])).toBe(true);
  expect(claimed.all()).toEqual([['org_a', 'evt_5']]);
  expect(claimed.forget(['org_a'])).toBe(false);
});
