import { expect, test } from 'bun:test';
import { describeDeadLetters } from './describe-dead-letters.ts';

const summary = (deliveries: number, events: number) => ({
  deliveries,
  events,
  most: 10_000,
  by_destination: [],
  by_pipeline: [],
});

test('dead letters are counted in words, no further than anybody counted', () => {
  expect(describeDeadLetters(summary(1, 0))).toBe('1 delivery');
  expect(describeDeadLetters(summary(1_200, 1))).toBe('1,200 deliveries and 1 event');
  expect(describeDeadLetters(summary(10_000, 3))).toBe('10,000+ deliveries and 3 events');
  expect(describeDeadLetters(summary(0, 0))).toBe('nothing');
});
