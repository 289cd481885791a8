import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { seconds } from '../core/clock.ts';
import { createRateLimiter } from './rate.ts';

const rates = fc.record({
  perSecond: fc.double({ min: 0.01, max: 500, noNaN: true }),
  burst: fc.double({ min: 1, max: 20, noNaN: true }),
});
/** How long after the one before each request comes, in milliseconds. */
const pauses = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5_000 })), {
  maxLength: 200,
  size: 'max',
});

test('never lets in more than the burst and what flowed in since', () => {
  fc.assert(
    fc.property(rates, pauses, (rate, waits) => {
      let now = 1_000;
      const limiter = createRateLimiter({ now: () => now });
      let passed = 0;
      for (const wait of waits) {
        now += wait;
        if (limiter.spend('src_1', rate) === 0) passed++;
        const most = rate.burst + (rate.perSecond * (now - 1_000)) / 1_000;
        expect(passed).toBeLessThanOrEqual(most + 1e-6);
      }
    }),
  );
});

test('in any window, not only from the start', () => {
  fc.assert(
    fc.property(rates, pauses, (rate, waits) => {
      let now = 1_000;
      const limiter = createRateLimiter({ now: () => now });
      const times: number[] = [];
      for (const wait of waits) {
        now += wait;
        if (limiter.spend('src_1', rate) === 0) times.push(now);
      }
      const most = (from: number, to: number) => rate.burst + (rate.perSecond * (to - from)) / 1_000 + 1e-6;
      const over = times.some((from, i) => times.slice(i).some((to, n) => n + 1 > most(from, to)));
      expect(over).toBe(false);
    }),
  );
});

test('whoever waits as long as Retry-After says is let in', () => {
  fc.assert(
    fc.property(rates, pauses, (rate, waits) => {
      let now = 1_000;
      const limiter = createRateLimiter({ now: () => now });
      for (const wait of waits) {
        now += wait;
        const waitS = limiter.spend('src_1', rate);
        if (waitS === 0) continue;
        expect(Number.isInteger(waitS)).toBe(true);
        expect(waitS).toBeGreaterThanOrEqual(1);
        now += seconds(waitS);
        expect(limiter.spend('src_1', rate)).toBe(0);
      }
    }),
  );
});

test('a clock that goes back and forth lets in no more than one that stands still', () => {
  let now = 10_000;
  const limiter = createRateLimiter({ now: () => now });
  const rate = { perSecond: 1, burst: 2 };
  let passed = 0;
  for (let n = 0; n < 50; n++) {
    now += n % 2 === 0 ? -seconds(100) : seconds(100);
    if (limiter.spend('src_1', rate) === 0) passed++;
  }
  // Each step back is ignored, each step forward fills the bucket: never more than its burst at a time.
  expect(passed).toBeLessThanOrEqual(2 * 26);
});

test('each node enforces its share, and at least one request', () => {
  const limiter = createRateLimiter({ now: () => 0 });
  limiter.setNodes(4);
  const spend = (id: string, burst: number) => limiter.spend(id, { perSecond: 8, burst });
  expect([spend('a', 8), spend('a', 8), spend('a', 8)]).toEqual([0, 0, 1]);
  expect([spend('b', 1), spend('b', 1)]).toEqual([0, 1]);
});

test('keeps so many sources, those that were used last', () => {
  const limiter = createRateLimiter({ now: () => 0 }, 3);
  const spend = (id: string) => limiter.spend(id, { perSecond: 1, burst: 1 });
  expect([spend('a'), spend('b')]).toEqual([0, 0]);
  for (const id of ['c', 'd', 'e', 'f']) {
    expect(spend(id)).toBe(0);
    expect(spend('a')).toBe(1);
  }
  // It came so long ago that it begins again.
  expect(spend('b')).toBe(0);
});

test('a rate that was changed holds from the next request', () => {
  const limiter = createRateLimiter({ now: () => 0 });
  expect(limiter.spend('a', { perSecond: 1, burst: 1 })).toBe(0);
  expect(limiter.spend('a', { perSecond: 1, burst: 1 })).toBe(1);
  expect(limiter.spend('a', { perSecond: 1, burst: 2 })).toBe(0);
});
