import { expect, test } from 'bun:test';
import { describeRateLimit, hintFor, refusalTitle } from './source-labels.ts';

test('a rate is written as people say it', () => {
  expect(describeRateLimit({ per_second: 100, burst: 200 })).toBe('100 req/s, burst 200');
  expect(describeRateLimit({ per_second: 0, burst: 0 })).toBe('no limit');
  expect(describeRateLimit({ per_second: 0.5, burst: 1 })).toBe('30 req/min, burst 1');
  expect(describeRateLimit({ per_second: 0.001, burst: 1 })).toBe('3.6 req/h, burst 1');
  expect(describeRateLimit({ per_second: 2_500, burst: 5_000 })).toBe('2,500 req/s, burst 5,000');
});

test('a refused request comes with what to do about it, by how the source is protected', () => {
  expect(hintFor('unauthenticated', 'hmac')).toContain('64 lowercase hex');
  expect(hintFor('unauthenticated', 'bearer')).toContain('Authorization: Bearer');
  expect(hintFor('rate_limited', 'hmac')).toContain('Retry-After');
  expect(hintFor('something_new', 'hmac')).toBe('The message says what was wrong.');
  expect(refusalTitle('unauthenticated', 'hmac')).toBe('bad signature');
  expect(refusalTitle('something_new', 'hmac')).toBe('something new');
});
