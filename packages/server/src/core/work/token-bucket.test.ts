import { expect, test } from 'bun:test';
import { createTokenBucket, type TokenBucket, type TokenBucketOptions } from './token-bucket.ts';

const clock = { time: 0, now: () => clock.time };

const bucketOf = (over: Partial<TokenBucketOptions> = {}): TokenBucket =>
  createTokenBucket({ perSecond: 2, capacity: 4, clock, ...over });

/** How many are let through before it says to wait. */
function drain(bucket: TokenBucket): number {
  let spent = 0;
  while (spent < 100 && bucket.spend() === 0) spent++;
  return spent;
}

test('it begins full, and then lets through what flows in', () => {
  const bucket = bucketOf();
  expect(drain(bucket)).toBe(4);
  expect(bucket.spend()).toBe(500);
  clock.time += 250;
  expect(bucket.spend()).toBe(250);
  clock.time += 250;
  expect(drain(bucket)).toBe(1);
});

test('no more gather than it holds, however long the rest', () => {
  const bucket = bucketOf();
  drain(bucket);
  clock.time += 3_600_000;
  expect(drain(bucket)).toBe(4);
});

test('whoever knows the time hands it over', () => {
  const bucket = bucketOf();
  drain(bucket);
  expect(bucket.spend(clock.time + 500)).toBe(0);
});

test('nodes share rate and capacity, as many as there are by then', () => {
  let nodes = 2;
  const bucket = bucketOf({ nodes: () => nodes });
  expect(drain(bucket)).toBe(2);
  expect(bucket.spend()).toBe(1_000);
  expect(bucket.within(10_000)).toBe(10);
  nodes = 1;
  expect(bucket.spend()).toBe(500);
  expect(bucket.within(10_000)).toBe(20);
});

test('a share of less than one still lets one through', () => {
  const bucket = bucketOf({ perSecond: 1, capacity: 1, nodes: () => 4 });
  expect(drain(bucket)).toBe(1);
  expect(bucket.spend()).toBe(4_000);
  expect(bucket.within(1_000)).toBe(1);
  clock.time += 4_000;
  expect(drain(bucket)).toBe(1);
});

test('a clock that goes back gives nothing away and freezes nothing', () => {
  const bucket = bucketOf();
  drain(bucket);
  clock.time -= 3_600_000;
  expect(bucket.spend()).toBe(500);
  clock.time += 500;
  expect(bucket.spend()).toBe(0);
});

test('a rate of 0 is no limit', () => {
  const bucket = bucketOf({ perSecond: 0 });
  expect(drain(bucket)).toBe(100);
  expect(bucket.within(1)).toBe(Number.POSITIVE_INFINITY);
});
