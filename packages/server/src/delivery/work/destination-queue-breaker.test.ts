import { beforeEach, describe, expect, test } from 'bun:test';
import {
  AT_ONCE,
  begun,
  NOW,
  nextCheck,
  openBreaker,
  type QueueSurroundings,
  queueSurroundings,
  share,
} from '../../../test/support/destination-queue.ts';
import { FAILURES_TO_OPEN } from '../decide/breaker.ts';
import type { DestinationQueue } from './destination-queue.ts';

let given: QueueSurroundings;
beforeEach(() => {
  given = queueSurroundings();
});

describe('the breaker', () => {
  const probe = { token: 'node 1', leftAt: NOW, until: NOW + 25_000 };

  /** Fails as often as it takes, with one more waiting. */
  function down(): DestinationQueue {
    const queue = given.filled(FAILURES_TO_OPEN + 1);
    for (let n = 1; n <= FAILURES_TO_OPEN; n++) {
      const claim = begun(queue);
      const changed = queue.answered(claim, 'failed');
      expect(changed).toBe(n < FAILURES_TO_OPEN ? null : 'opened');
      queue.finish(claim);
    }
    return queue;
  }

  /** One for which a probe was taken. */
  function probing(): DestinationQueue {
    const queue = given.queueOf({}, { breaker: openBreaker });
    queue.beginProbe(probe);
    expect(queue.heldTokens()).toEqual(new Set([probe.token]));
    expect(queue.reserve(share)?.limit).toBe(1);
    return queue;
  }

  test('opens after failures in a row, and what waits is given back', () => {
    const queue = down();
    expect([given.givenBack, queue.downSince, queue.reserve(share), queue.room(AT_ONCE)]).toEqual([
      ['51'],
      NOW,
      null,
      0,
    ]);
  });

  test('what was being claimed while it opened is given back', () => {
    const queue = given.queueOf();
    queue.reserve(share);
    queue.adopt(openBreaker);
    given.offer(queue, '1', '2');
    expect([given.givenBack, queue.next(AT_ONCE)]).toEqual([['1', '2'], null]);
  });

  test('open, it wants a probe at its moment, and one delivery is claimed for that', () => {
    const queue = down();
    expect([queue.wantsProbe(NOW), queue.nextProbeAt(NOW)]).toEqual([false, NOW + 1_000]);
    given.clock.time += 1_000;
    expect(queue.wantsProbe(NOW)).toBe(true);
    expect(queue.reserve(share)).toBeNull();
    queue.beginProbe(probe);
    expect(queue.reserve(share)?.limit).toBe(1);
    given.offer(queue, 'probe');
    const claim = begun(queue);
    expect([claim.probe, queue.reserve(share)]).toEqual([probe, null]);
    expect(queue.heldTokens()).toContain(probe.token);
    expect(queue.answered(claim, 'delivered')).toBe('closed');
    queue.finish(claim);
    expect([queue.downSince, given.probesGivenBack]).toEqual([null, []]);
  });

  test('after a probe that failed it waits for the next moment', () => {
    const queue = probing();
    given.offer(queue, 'probe');
    const claim = begun(queue);
    expect(queue.answered(claim, 'failed')).toBeNull();
    queue.probeFailed({
      kind: 'failed',
      leftAt: NOW,
      endedAt: NOW + 5,
      nextProbeAt: NOW + 2_000,
      failure: '',
    });
    queue.finish(claim);
    expect([queue.nextProbeAt(NOW), queue.nextProbeAt(NOW + 6), given.probesGivenBack]).toEqual([
      NOW + 2_000,
      NOW + 6,
      [],
    ]);
  });

  test('while another node has the probe it wants none, and reads now and then what became of that', () => {
    const queue = given.queueOf({}, { breaker: { ...openBreaker, probeUntil: NOW + 25_000 } });
    given.clock.time = NOW + 4_999;
    expect([queue.wantsProbe(NOW), queue.nextProbeAt(NOW), queue.hasStaleBreaker]).toEqual([
      false,
      NOW + 25_000,
      false,
    ]);
    given.clock.time = NOW + 5_000;
    expect(queue.hasStaleBreaker).toBe(true);
    expect(queue.confirm({ ...queue.stored, breaker: openBreaker }, queue.suspicions)).toBe(true);
    expect([queue.hasStaleBreaker, queue.wantsProbe(NOW)]).toEqual([false, true]);
  });

  test('a probe that comes to nothing is given back, whatever the reason', () => {
    const ways: ((queue: DestinationQueue) => void)[] = [
      queue => given.offer(queue),
      queue => queue.retire(),
      queue => queue.drain(),
      queue => {
        given.offer(queue, 'probe');
        queue.finish(begun(queue));
      },
      queue => {
        given.offer(queue, 'late');
        given.clock.time = probe.until;
        queue.next(AT_ONCE);
      },
      queue => {
        given.offer(queue, 'withdrawn');
        queue.recheck();
        queue.checked(nextCheck(queue), new Set());
      },
    ];
    for (const [n, way] of ways.entries()) {
      given.clock.time = NOW;
      way(probing());
      expect(given.probesGivenBack).toHaveLength(n + 1);
    }
  });

  test('takes over what other nodes have found out, and counts its own failures while it is closed', () => {
    const queue = given.queueOf({}, { breaker: openBreaker });
    queue.adopt(null);
    expect(queue.downSince).toBeNull();
    given.offer(queue, ...Array.from({ length: FAILURES_TO_OPEN }, (_, n) => `${n}`));
    for (let n = 1; n < FAILURES_TO_OPEN; n++) {
      const claim = begun(queue);
      queue.answered(claim, 'failed');
      queue.finish(claim);
    }
    queue.suspect();
    queue.confirm(
      queue.stored.breaker === null ? null : { ...queue.stored, breaker: null },
      queue.suspicions,
    );
    expect(queue.answered(begun(queue), 'failed')).toBe('opened');
    queue.suspect();
    expect(
      queue.confirm({ ...queue.stored, breaker: { ...openBreaker, openedAt: NOW - 7 } }, queue.suspicions),
    ).toBe(true);
    expect(queue.downSince).toBe(NOW - 7);
  });

  test('what failed on this side says nothing of the destination', () => {
    const queue = given.filled(FAILURES_TO_OPEN + 1);
    for (let n = 1; n < FAILURES_TO_OPEN; n++) {
      const claim = begun(queue);
      queue.answered(claim, 'failed');
      queue.finish(claim);
    }
    const ours = begun(queue);
    expect(queue.answered(ours, 'not_sent')).toBeNull();
    queue.finish(ours);
    expect(queue.answered(begun(queue), 'failed')).toBe('opened');
  });
});
