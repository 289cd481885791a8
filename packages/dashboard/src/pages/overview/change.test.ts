import { expect, test } from 'bun:test';
import { changeOf } from './change.ts';

test('more received is neither good nor bad, more undelivered is bad, a higher share is good', () => {
  expect(changeOf(150, 100)).toEqual({ text: '+50%', tone: 'none' });
  expect(changeOf(7, 4, 'amount', 'less')).toEqual({ text: '+3', tone: 'bad' });
  expect(changeOf(0, 4, 'amount', 'less')).toEqual({ text: '−4', tone: 'good' });
  expect(changeOf(99.5, 98, 'points')).toEqual({ text: '+1.5 pp', tone: 'good' });
  expect(changeOf(80, 100, 'share', 'less')).toEqual({ text: '−20%', tone: 'good' });
  expect(changeOf(100, 100)).toEqual({ text: '±0', tone: 'none' });
  expect([changeOf(3, 1_000)?.text, changeOf(0, 1_000)?.text]).toEqual(['−99%', '−100%']);
});

test('there is nothing to compare with where nothing was before', () => {
  expect([changeOf(5, null), changeOf(null, 5), changeOf(5, 0)]).toEqual([null, null, null]);
});
