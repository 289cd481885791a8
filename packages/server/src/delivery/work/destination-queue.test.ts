import { beforeEach, describe, expect, test } from 'bun:test';
import {
  AT_ONCE,
  begun,
  deliveryOf,
  idsOf,
  NOW,
  nextCheck,
  nextClaim,
  ORG,
  OUTPUT,
  openBreaker,
  type QueueSurroundings,
  queueSurroundings,
  share,
} from '../../../test/support/destination-queue.ts';
import type { StoredDestination } from '../../core/stores/configuration/destinations.ts';
import { FAILURES_TO_OPEN } from '../decide/breaker.ts';
import type { DestinationQueue } from './destination-queue.ts';

let given: QueueSurroundings;
beforeEach(() => {
  given = queueSurroundings();
});

describe('a claim', () => {
  test('goes from waiting to sending to answered to over, and is held until then', () => {
    const queue = given.filled(2);
    expect([queue.bytes, given.held]).toEqual([2 * OUTPUT.length, 2 * OUTPUT.length]);
    const claim = nextClaim(queue);
    expect(claim).toMatchObject({ state: 'waiting', delivery: { id: '1' }, token: 'token' });
    expect(queue.begin(claim)).toBe(0);
    expect([claim.state, queue.underWay.has(claim)]).toEqual(['sending', true]);
    expect(queue.answered(claim, 'delivered')).toBeNull();
    expect([claim.state, queue.underWay.has(claim)]).toEqual(['answered', true]);
    queue.finish(claim);
    expect([claim.state, queue.underWay.has(claim)]).toEqual(['over', false]);
    expect([queue.bytes, given.held]).toEqual([OUTPUT.length, OUTPUT.length]);
    expect(nextClaim(queue).delivery.id).toBe('2');
  });

  test('frees its place once, however often it is finished', () => {
    const queue = given.filled(2);
    const claim = begun(queue);
    queue.finish(claim);
    queue.finish(claim);
    expect(given.held).toBe(OUTPUT.length);
  });

  test('is begun only as the first of its queue, once', () => {
    const queue = given.filled(2);
    const claim = begun(queue);
    expect(() => queue.begin(claim)).toThrow('first');
  });

  test('that never ends frees its place long after its timeout; its late answer counts for nothing', () => {
    const queue = given.filled(1);
    const claim = begun(queue);
    queue.expire();
    expect(claim.state).toBe('sending');
    given.clock.time += 15_000;
    queue.expire();
    expect(claim.state).toBe('sending');
    given.clock.time += 600_000;
    queue.expire();
    expect([claim.state, queue.underWay.size, given.held]).toEqual(['over', 0, 0]);
    expect(queue.mayGoOut(claim)).toBe(false);
    queue.answered(claim, 'failed');
    queue.finish(claim);
    expect([claim.state, given.held]).toEqual(['over', 0]);
    expect(given.givenBack).toEqual([]);
  });
});

describe('how many are under way', () => {
  test('no more than may be at once', () => {
    const queue = given.filled(3);
    begun(queue);
    expect(queue.next(1)).toBeNull();
    expect(queue.next(2)).not.toBeNull();
  });

  test('what is answered makes way before it is written, but no more wait to be written than may be sent', () => {
    const queue = given.filled(5);
    const [first, second] = [begun(queue), begun(queue)];
    expect(queue.next(2)).toBeNull();
    queue.answered(first, 'delivered');
    expect(queue.next(2)).not.toBeNull();
    queue.answered(second, 'delivered');
    expect(queue.next(2)).toBeNull();
    queue.finish(first);
    expect(queue.next(2)).not.toBeNull();
  });

  test('a rate lets out what it lets out, and says how long to wait', () => {
    const queue = given.filled(4, { rate_per_second: 2 });
    begun(queue);
    begun(queue);
    const third = nextClaim(queue);
    expect(queue.begin(third)).toBe(500);
    expect([third.state, queue.underWay.size]).toEqual(['waiting', 2]);
    given.clock.time += 500;
    expect(queue.begin(third)).toBe(0);
  });

  test('it resumes once after a wait, however often that was asked for', async () => {
    const queue = given.filled(1);
    let resumed = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    for (let n = 0; n < 3; n++)
      queue.resumeIn(1, () => {
        resumed++;
        resolve();
      });
    await promise;
    expect(resumed).toBe(1);
  });
});

describe('how much is claimed', () => {
  test('twice what may be under way at once, less what is there', () => {
    const queue = given.queueOf();
    expect(queue.reserve(share)).toMatchObject({ orgId: ORG, destinationId: queue.stored.id, limit: 8 });
    given.offer(queue, '1', '2', '3');
    expect(queue.room(AT_ONCE)).toBe(5);
    begun(queue);
    expect(queue.room(AT_ONCE)).toBe(5);
    queue.answered(begun(queue), 'delivered');
    expect(queue.room(AT_ONCE)).toBe(6);
  });

  test('a little room is not worth a claim while there is something to send', () => {
    const queue = given.filled(7);
    expect([queue.room(AT_ONCE), queue.reserve(share)]).toEqual([0, null]);
    queue.finish(begun(queue));
    expect(queue.room(AT_ONCE)).toBe(2);
  });

  test('further ahead for a quick destination, up to a bound', () => {
    const queue = given.queueOf();
    for (let n = 0; n < 100; n++) {
      given.offer(queue, String(n));
      queue.finish(begun(queue));
    }
    expect(queue.reserve(share)?.limit).toBe(200);
    expect(queue.room(AT_ONCE)).toBe(8);
    expect(queue.room(10_000)).toBe(512);
  });

  test('no further ahead than a rate lets out within half a minute', () => {
    expect(given.queueOf({ rate_per_second: 1 }).room(100)).toBe(30);
  });

  test('within its bytes; where none are left, one at a time', () => {
    const queue = given.queueOf();
    expect(queue.reserve({ atOnce: AT_ONCE, inMemory: 16, bytes: 5_000 })?.bytes).toBe(5_000);
    expect(queue.reserve({ atOnce: AT_ONCE, inMemory: 16, bytes: 1 << 30 })?.bytes).toBe(1 << 20);
    expect(queue.reserve({ atOnce: AT_ONCE, inMemory: 16, bytes: -1 })).toMatchObject({ limit: 1, bytes: 0 });
    given.offer(queue, '1');
    expect(queue.reserve({ atOnce: AT_ONCE, inMemory: 16, bytes: -1 })).toBeNull();
  });

  test('it wants more only while more was due and there is room', () => {
    const queue = given.queueOf();
    expect(queue.wantsMore(AT_ONCE)).toBe(true);
    queue.reserve(share);
    given.offer(queue);
    expect(queue.wantsMore(AT_ONCE)).toBe(false);
    queue.reserve(share);
    expect(queue.wantsMore(AT_ONCE)).toBe(true);
    given.offer(queue, ...Array.from({ length: 8 }, (_, n) => String(n)));
    expect(queue.wantsMore(AT_ONCE)).toBe(false);
  });

  test('the size of a delivery is that of the last ones', () => {
    const queue = given.filled(2);
    expect(queue.meanBytes).toBe(OUTPUT.length);
  });
});

describe('a suspect queue', () => {
  test('keeps what it has and lets nothing out, until it is confirmed', () => {
    const queue = given.filled(2);
    const claim = begun(queue);
    expect(queue.mayGoOut(claim)).toBe(true);
    queue.suspect();
    expect([queue.isSuspect, queue.next(AT_ONCE), queue.reserve(share)]).toEqual([true, null, null]);
    expect(queue.mayGoOut(claim)).toBe(false);
    expect(queue.confirm({ ...queue.stored }, queue.suspicions)).toBe(true);
    expect([queue.isSuspect, queue.mayGoOut(claim)]).toEqual([false, true]);
    expect(nextClaim(queue).delivery.id).toBe('2');
    expect(given.givenBack).toEqual([]);
  });

  test('is not confirmed by a read that began before it was suspected again', () => {
    const queue = given.filled(1);
    queue.suspect();
    const asOf = queue.suspicions;
    queue.suspect();
    expect(queue.confirm(queue.stored, asOf)).toBe(true);
    expect(queue.isSuspect).toBe(true);
    expect(queue.confirm(queue.stored, queue.suspicions)).toBe(true);
    expect(queue.isSuspect).toBe(false);
  });

  test.each<[string, (stored: StoredDestination) => StoredDestination | null]>([
    ['deleted', () => null],
    ['paused', stored => ({ ...stored, paused: true })],
    ['given other settings', stored => ({ ...stored, config: '{"v":2}' })],
    ['given another policy', stored => ({ ...stored, policy: { ...stored.policy, concurrency: 99 } })],
  ])('stays suspect where its destination was %s', (_, change) => {
    const queue = given.filled(1);
    queue.suspect();
    expect(queue.confirm(change(queue.stored), queue.suspicions)).toBe(false);
    expect([queue.isSuspect, queue.next(AT_ONCE)]).toEqual([true, null]);
  });
});

describe('a retired queue', () => {
  test('gives back what waits, and is closed at once where nothing is under way', () => {
    const queue = given.filled(2);
    queue.retire();
    expect([given.givenBack, given.held, given.closed]).toEqual([['1', '2'], 0, 1]);
    expect([queue.isRetired, queue.next(AT_ONCE), queue.reserve(share)]).toEqual([true, null, null]);
    expect(queue.wantsMore(AT_ONCE)).toBe(false);
  });

  test('while it is sending: that ends, and it is closed with the last of it', () => {
    const queue = given.filled(3);
    const [first, second] = [begun(queue), begun(queue)];
    queue.retire();
    expect([given.givenBack, given.closed]).toEqual([['3'], 0]);
    expect(queue.mayGoOut(first)).toBe(false);
    queue.answered(first, 'failed');
    queue.finish(first);
    expect(given.closed).toBe(0);
    queue.finish(second);
    expect([given.closed, given.held]).toEqual([1, 0]);
  });

  test('resumes no more, whether that was asked for before or after', async () => {
    const queue = given.filled(1);
    begun(queue);
    let resumed = 0;
    queue.resumeIn(1, () => resumed++);
    queue.retire();
    queue.resumeIn(1, () => resumed++);
    // Timers of one length go off in the order in which they were set.
    await new Promise(resolve => setTimeout(resolve, 1));
    expect(resumed).toBe(0);
  });

  test('says nothing of the breaker any more', () => {
    const queue = given.filled(1);
    const claim = begun(queue);
    queue.retire();
    for (let n = 0; n < FAILURES_TO_OPEN; n++) expect(queue.answered(claim, 'failed')).toBeNull();
    expect(queue.downSince).toBeNull();
  });
});

describe('withdrawals', () => {
  test('what was withdrawn while it waited is taken out; the others go on', () => {
    const queue = given.filled(3);
    queue.recheck(['2']);
    const check = nextCheck(queue);
    expect(idsOf(check.claims)).toEqual(['1', '2', '3']);
    expect([queue.next(AT_ONCE), queue.wantsMore(AT_ONCE)]).toEqual([null, false]);
    queue.checked(check, new Set(['1', '3']));
    expect([begun(queue), begun(queue)].map(({ delivery }) => delivery.id)).toEqual(['1', '3']);
    expect(queue.next(AT_ONCE)).toBeNull();
    expect([given.held, given.givenBack]).toEqual([2 * OUTPUT.length, []]);
  });

  test('of others leave what it holds known', () => {
    const queue = given.filled(1);
    queue.recheck(['9']);
    expect(nextClaim(queue).delivery.id).toBe('1');
  });

  test('that come while a claim is being made count for what it brings', () => {
    const queue = given.queueOf();
    queue.reserve(share);
    queue.recheck(['9']);
    given.offer(queue, '8', '9');
    expect(idsOf(nextCheck(queue).claims)).toEqual(['8', '9']);
  });

  test('that come while a check is being made ask for another', () => {
    const queue = given.filled(1);
    queue.recheck();
    const check = nextCheck(queue);
    queue.recheck();
    queue.checked(check, new Set(['1']));
    expect(idsOf(nextCheck(queue).claims)).toEqual(['1']);
  });

  test('after a check that nobody could answer, nothing goes out before another', () => {
    const queue = given.filled(1);
    queue.recheck();
    queue.checked(nextCheck(queue), null);
    expect(idsOf(nextCheck(queue).claims)).toEqual(['1']);
  });

  test('what was looked up a second ago is looked up again: another node may have withdrawn it', () => {
    const queue = given.filled(1);
    given.clock.time += 999;
    expect(nextClaim(queue).delivery.id).toBe('1');
    given.clock.time += 1;
    const check = nextCheck(queue);
    queue.checked(check, new Set(['1']));
    expect(nextClaim(queue).delivery.id).toBe('1');
  });

  test('what is under way and not sent yet is looked up too', () => {
    const queue = given.filled(1);
    const claim = begun(queue);
    expect(queue.checkOf(claim)).toBeNull();
    queue.recheck(['1']);
    expect(queue.mayGoOut(claim)).toBe(false);
    const check = queue.checkOf(claim);
    if (check === null) throw new Error('It is known.');
    queue.checked(check, new Set(['1']));
    expect([queue.checkOf(claim), queue.mayGoOut(claim)]).toEqual([null, true]);
  });
});

describe('idle', () => {
  test('counts from the last thing it did, and not while it has something to do', () => {
    const queue = given.filled(1);
    given.clock.time += 500;
    expect(queue.idleMs()).toBe(0);
    const claim = begun(queue);
    expect(queue.idleMs()).toBe(0);
    queue.finish(claim);
    given.clock.time += 700;
    expect(queue.idleMs()).toBe(700);
  });

  test('a queue that waits for its breaker is not', () => {
    const queue = given.queueOf({}, { breaker: { ...openBreaker, nextProbeAt: NOW + 1 } });
    given.clock.time += 700;
    expect(queue.idleMs()).toBe(0);
  });

  test('what is drained is over, and for the caller to give back', () => {
    const queue = given.filled(2);
    expect(idsOf(queue.drain())).toEqual(['1', '2']);
    expect([queue.drain(), given.held, given.givenBack, queue.next(AT_ONCE)]).toEqual([[], 0, [], null]);
  });
});

describe('what is handed over', () => {
  const promise = (queue: DestinationQueue) => queue.promise(share, OUTPUT.length);
  const grant = () => ({ token: 'token', knownAt: given.clock.time });
  const accept = (queue: DestinationQueue, id: string) => {
    const promised = promise(queue);
    if (promised === null) throw new Error('There is no room.');
    queue.accept(deliveryOf(id), grant(), promised);
  };

  test('goes out like what was claimed', () => {
    const queue = given.queueOf();
    accept(queue, 'one');
    expect([queue.bytes, given.held, queue.heldTokens()]).toEqual([
      OUTPUT.length,
      OUTPUT.length,
      new Set(['token']),
    ]);
    const claim = begun(queue);
    queue.answered(claim, 'delivered');
    queue.finish(claim);
    expect([claim.delivery.id, queue.bytes, given.held]).toEqual(['one', 0, 0]);
  });

  test('has room for its share', () => {
    const queue = given.queueOf();
    const promises = Array.from({ length: share.inMemory }, () => promise(queue));
    expect(promises).not.toContain(null);
    expect(promise(queue)).toBeNull();
    promises[0]?.end();
    expect(promise(queue)).not.toBeNull();
  });

  test('keeps no room from what waits in storage, and takes turns with it however often that is claimed', () => {
    const queue = given.queueOf();
    for (let n = 0; n < 16; n++) accept(queue, 'made');
    expect(queue.room(AT_ONCE)).toBe(2 * AT_ONCE);
    given.offer(queue, 'claimed', 'claimed');
    expect(queue.room(AT_ONCE)).toBe(2 * AT_ONCE - 2);
    const out: string[] = [];
    for (let next = queue.next(AT_ONCE); next !== null; next = queue.next(AT_ONCE)) {
      const claim = begun(queue);
      out.push(claim.delivery.id);
      if (out.length < 12) given.offer(queue, 'claimed');
      queue.answered(claim, 'delivered');
      queue.finish(claim);
    }
    const [made, claimed] = ['made', 'claimed'];
    expect(out.slice(0, 12)).toEqual(Array(3).fill([made, made, made, claimed]).flat());
    expect(out).toHaveLength(16 + 2 + 11);
    expect([queue.bytes, given.held]).toEqual([0, 0]);
  });

  test('counts as held from when it was promised room', () => {
    const queue = given.queueOf();
    const promised = promise(queue);
    expect([queue.bytes, given.held]).toEqual([OUTPUT.length, OUTPUT.length]);
    promised?.end();
    promised?.end();
    expect([queue.bytes, given.held]).toEqual([0, 0]);
  });

  test('has no more room than its rate lets out soon, nor any where memory is used up', () => {
    const queue = given.queueOf({ rate_per_second: 0.1 });
    const promises = Array.from({ length: 9 }, () => promise(queue)).filter(one => one !== null);
    expect(promises.length).toBeLessThan(5);
    expect(given.queueOf().promise({ ...share, bytes: 0 }, 1)).toBeNull();
  });

  test('has no room while the destination is suspect, down or retired', () => {
    const suspect = given.queueOf();
    suspect.suspect();
    expect(promise(suspect)).toBeNull();
    const down = given.queueOf();
    down.adopt(openBreaker);
    expect(promise(down)).toBeNull();
    const retired = given.queueOf();
    retired.retire();
    expect(promise(retired)).toBeNull();
  });

  test('is given back where the breaker has opened since', () => {
    const queue = given.queueOf();
    const promised = promise(queue);
    queue.adopt(openBreaker);
    if (promised) queue.accept(deliveryOf('late'), grant(), promised);
    expect([given.givenBack, given.held]).toEqual([['late'], 0]);
  });

  test('is looked up where something was withdrawn before it came', () => {
    const queue = given.queueOf();
    const promised = promise(queue);
    queue.recheck(['late']);
    if (promised) queue.accept(deliveryOf('late'), grant(), promised);
    expect(idsOf(nextCheck(queue).claims)).toEqual(['late']);
  });
});
