import { expect, test } from 'bun:test';
import { tellLetters } from './letter-words.ts';

const summary = (deliveries: number, events: number) => ({
  deliveries,
  events,
  most: 10_000,
  by_destination: [],
  by_pipeline: [],
});

test('dead letters are counted in words, no further than anybody counted', () => {
  expect(tellLetters(summary(1, 0))).toBe('1 delivery');
  expect(tellLetters(summary(1_200, 1))).toBe('1,200 deliveries and 1 event');
  expect(tellLetters(summary(10_000, 3))).toBe('10,000+ deliveries and 3 events');
  expect(tellLetters(summary(0, 0))).toBe('nothing');
});
