import { expect, test } from 'bun:test';
import { aDestination } from '../../../test/contract/storage/delivery-samples.ts';
import { createShares } from './shares.ts';

const MEGABYTE = 1024 * 1024;

function queueOf(orgId: string, concurrency = 1_000) {
  const sample = aDestination(orgId);
  return { stored: { ...sample, policy: { ...sample.policy, concurrency } }, bytes: 0 };
}

/** As a queue does with what it is offered, and lets go of. */
function hold(shares: ReturnType<typeof createShares>, queue: { bytes: number }, bytes: number): void {
  queue.bytes += bytes;
  shares.hold(bytes);
}

test('whoever comes next finds its share, however much the one before holds', () => {
  const shares = createShares();
  const [hog, other] = [queueOf('org_a'), queueOf('org_b')];
  shares.opened(hog);
  for (let room = shares.of(hog, 0).bytes; room > 0; room = shares.of(hog, 0).bytes) {
    hold(shares, hog, Math.min(room, 8 * MEGABYTE));
  }
  shares.opened(other);
  expect(hog.bytes).toBe(32 * MEGABYTE);
  expect(shares.of(other, 0).bytes).toBeGreaterThan(20 * MEGABYTE);
});

test('what is finished is there again', () => {
  const shares = createShares();
  const queue = queueOf('org_a');
  shares.opened(queue);
  const before = shares.of(queue, 0).bytes;
  hold(shares, queue, MEGABYTE);
  expect(shares.of(queue, 0).bytes).toBe(before - MEGABYTE);
  hold(shares, queue, -MEGABYTE);
  expect(shares.of(queue, 0).bytes).toBe(before);
});

test('however many there are, all together hold no more than there is', () => {
  const shares = createShares();
  let held = 0;
  for (let n = 0; n < 200; n++) {
    const queue = queueOf('org_a');
    shares.opened(queue);
    const room = shares.of(queue, 0).bytes;
    if (room <= 0) continue;
    held += room;
    hold(shares, queue, room);
  }
  expect(held).toBeLessThanOrEqual(128 * MEGABYTE);
});

test('nobody is denied a few at once, nor given more than it takes', () => {
  const shares = createShares();
  const queues = Array.from({ length: 2_000 }, () => queueOf('org_a'));
  const narrow = queueOf('org_b', 2);
  for (const queue of [...queues, narrow]) shares.opened(queue);
  expect(queues.map(shares.atOnce).every(width => width === 4)).toBe(true);
  expect(shares.atOnce(narrow)).toBe(2);
});
