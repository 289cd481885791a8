import { expect, test } from 'bun:test';
import { createAlarm } from './alarm.ts';

/** Longer than a test may take: whoever sleeps so long was not woken. */
const FOR_EVER_MS = 3_600_000;

test('a sleep ends when it rings, or when the time is up', async () => {
  const { ring, sleep } = createAlarm();
  await sleep(1);
  const asleep = sleep(FOR_EVER_MS);
  ring();
  await asleep;
});

test('a ring before the sleep counts, and counts once', async () => {
  const { ring, sleep } = createAlarm();
  ring();
  ring();
  await sleep(FOR_EVER_MS);
  let isAwake = false;
  const asleep = sleep(FOR_EVER_MS).then(() => {
    isAwake = true;
  });
  await new Promise(setImmediate);
  expect(isAwake).toBe(false);
  ring();
  await asleep;
});

test('a ring between two sleeps cuts the second one short, also where the first one rang', async () => {
  const { ring, sleep } = createAlarm();
  const first = sleep(FOR_EVER_MS);
  ring();
  await first;
  ring();
  await sleep(FOR_EVER_MS);
});

test('what is reset has not rung', async () => {
  const { ring, reset, sleep } = createAlarm();
  ring();
  reset();
  let isAwake = false;
  const asleep = sleep(FOR_EVER_MS).then(() => {
    isAwake = true;
  });
  await new Promise(setImmediate);
  expect(isAwake).toBe(false);
  ring();
  await asleep;
});
