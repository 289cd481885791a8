import { expect, test } from 'bun:test';
import { aDestination } from '../../../test/contract/storage/delivery-samples.ts';
import { type Claim, type Lane, openLane } from './destination-queue.ts';
import { createShares } from './shares.ts';

const MEGABYTE = 1024 * 1024;

function laneOf(orgId: string, concurrency = 1_000): Lane {
  const sample = aDestination(orgId);
  const stored = { ...sample, policy: { ...sample.policy, concurrency } };
  const destination = { readsTraits: false, send: () => Promise.reject(new Error('Nothing is sent here.')) };
  return openLane(stored, destination, { clock: { now: () => 0 }, nodes: () => 1, asOf: 0, meanBytes: 1 });
}

const claimOf = (lane: Lane, bytes: number): Claim =>
  ({ lane, delivery: { output: 'x'.repeat(bytes) } }) as unknown as Claim;

test('whoever comes next finds its share, however much the one before holds', () => {
  const shares = createShares();
  const [hog, other] = [laneOf('org_a'), laneOf('org_b')];
  shares.opened(hog);
  for (let room = shares.bytesFor(hog, 0); room > 0; room = shares.bytesFor(hog, 0)) {
    shares.claimed(claimOf(hog, Math.min(room, 8 * MEGABYTE)));
  }
  shares.opened(other);
  expect(hog.held).toBe(32 * MEGABYTE);
  expect(shares.bytesFor(other, 0)).toBeGreaterThan(20 * MEGABYTE);
});

test('what is finished is there again', () => {
  const shares = createShares();
  const lane = laneOf('org_a');
  shares.opened(lane);
  const before = shares.bytesFor(lane, 0);
  const claim = claimOf(lane, MEGABYTE);
  shares.claimed(claim);
  expect(shares.bytesFor(lane, 0)).toBe(before - MEGABYTE);
  shares.finished(claim);
  expect(shares.bytesFor(lane, 0)).toBe(before);
});

test('however many there are, all together hold no more than there is', () => {
  const shares = createShares();
  let held = 0;
  for (let n = 0; n < 200; n++) {
    const lane = laneOf('org_a');
    shares.opened(lane);
    const room = shares.bytesFor(lane, 0);
    if (room <= 0) continue;
    held += room;
    shares.claimed(claimOf(lane, room));
  }
  expect(held).toBeLessThanOrEqual(128 * MEGABYTE);
});

test('nobody is denied a few at once, nor given more than it takes', () => {
  const shares = createShares();
  const lanes = Array.from({ length: 2_000 }, () => laneOf('org_a'));
  const narrow = laneOf('org_b', 2);
  for (const lane of [...lanes, narrow]) shares.opened(lane);
  expect(lanes.map(shares.atOnce).every(width => width === 4)).toBe(true);
  expect(shares.atOnce(narrow)).toBe(2);
});
