import { beforeEach, describe, expect, test } from 'bun:test';
import { aDestination } from '../../../test/contract/storage/delivery-samples.ts';
import type {
  Probe,
  StoredBreaker,
  StoredDestination,
} from '../../core/stores/configuration/destinations.ts';
import type { ClaimedDelivery } from '../../core/stores/delivery-queue.ts';
import { FAILURES_TO_OPEN } from '../decide/breaker.ts';
import type { Claim, ClaimCheck } from './claim.ts';
import { createDestinationQueue, type DestinationQueue } from './destination-queue.ts';

const NOW = 1_000_000_000;
const AT_ONCE = 4;
const OUTPUT = '{"payload":{},"labels":{}}';

let clock: { time: number; now(): number };
let givenBack: string[];
let probesGivenBack: Probe[];
let held: number;
let closed: number;

beforeEach(() => {
  clock = { time: NOW, now: () => clock.time };
  givenBack = [];
  probesGivenBack = [];
  held = 0;
  closed = 0;
});

const ORG = 'org_a';

function queueOf(
  policy: Partial<StoredDestination['policy']> = {},
  over: Partial<StoredDestination> = {},
): DestinationQueue {
  const sample = aDestination(ORG);
  const stored = { ...sample, ...over, policy: { ...sample.policy, timeout_s: 10, ...policy } };
  const destination = {
    readsTraits: false,
    send: () => Promise.reject(new Error('Nothing is sent here.')),
    close: async () => void closed++,
  };
  return createDestinationQueue(stored, destination, {
    clock,
    nodes: () => 1,
    meanBytes: 100,
    hold: bytes => {
      held += bytes;
    },
    giveBack: claims => void givenBack.push(...idsOf(claims)),
    giveBackProbe: probe => void probesGivenBack.push(probe),
    onError: error => {
      throw error;
    },
  });
}

const idsOf = (claims: readonly Claim[]): string[] => claims.map(({ delivery }) => delivery.id);

const deliveryOf = (id: string): ClaimedDelivery => ({ id, orgId: ORG, output: OUTPUT }) as ClaimedDelivery;

const share = { atOnce: AT_ONCE, inMemory: 16, bytes: 1 << 20 };

const offer = (queue: DestinationQueue, ...ids: string[]): void =>
  queue.offer(ids.map(deliveryOf), {
    token: 'token',
    knownAt: clock.time,
  });

/** A queue in which so many wait: 1, 2, 3 … */
function filled(count: number, policy: Partial<StoredDestination['policy']> = {}): DestinationQueue {
  const queue = queueOf(policy);
  offer(queue, ...Array.from({ length: count }, (_, n) => String(n + 1)));
  return queue;
}

function nextClaim(queue: DestinationQueue): Claim {
  const next = queue.next(AT_ONCE);
  if (next === null || 'claims' in next) throw new Error('There is nothing to send.');
  return next;
}

function nextCheck(queue: DestinationQueue): ClaimCheck {
  const next = queue.next(AT_ONCE);
  if (next === null || !('claims' in next)) throw new Error('There is nothing to check.');
  return next;
}

/** Begins the next one, which no rate keeps. */
function begun(queue: DestinationQueue): Claim {
  const claim = nextClaim(queue);
  expect(queue.begin(claim)).toBe(0);
  return claim;
}

describe('a claim', () => {
  test('goes from waiting to sending to answered to over, and is held until then', () => {
    const queue = filled(2);
    expect([queue.bytes, held]).toEqual([2 * OUTPUT.length, 2 * OUTPUT.length]);
    const claim = nextClaim(queue);
    expect(claim).toMatchObject({ state: 'waiting', delivery: { id: '1' }, token: 'token' });
    expect(queue.begin(claim)).toBe(0);
    expect([claim.state, queue.underWay.has(claim)]).toEqual(['sending', true]);
    expect(queue.answered(claim, 'delivered')).toBeNull();
    expect([claim.state, queue.underWay.has(claim)]).toEqual(['answered', true]);
    queue.finish(claim);
    expect([claim.state, queue.underWay.has(claim)]).toEqual(['over', false]);
    expect([queue.bytes, held]).toEqual([OUTPUT.length, OUTPUT.length]);
    expect(nextClaim(queue).delivery.id).toBe('2');
  });

  test('frees its place once, however often it is finished', () => {
    const queue = filled(2);
    const claim = begun(queue);
    queue.finish(claim);
    queue.finish(claim);
    expect(held).toBe(OUTPUT.length);
  });

  test('is begun only as the first of its queue, once', () => {
    const queue = filled(2);
    const claim = begun(queue);
    expect(() => queue.begin(claim)).toThrow('first');
  });

  test('that never ends frees its place long after its timeout; its late answer counts for nothing', () => {
    const queue = filled(1);
    const claim = begun(queue);
    queue.expire();
    expect(claim.state).toBe('sending');
    clock.time += 15_000;
    queue.expire();
    expect(claim.state).toBe('sending');
    clock.time += 600_000;
    queue.expire();
    expect([claim.state, queue.underWay.size, held]).toEqual(['over', 0, 0]);
    expect(queue.mayGoOut(claim)).toBe(false);
    queue.answered(claim, 'failed');
    queue.finish(claim);
    expect([claim.state, held]).toEqual(['over', 0]);
    expect(givenBack).toEqual([]);
  });
});

describe('how many are under way', () => {
  test('no more than may be at once', () => {
    const queue = filled(3);
    begun(queue);
    expect(queue.next(1)).toBeNull();
    expect(queue.next(2)).not.toBeNull();
  });

  test('what is answered makes way before it is written, but no more wait to be written than may be sent', () => {
    const queue = filled(5);
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
    const queue = filled(4, { rate_per_second: 2 });
    begun(queue);
    begun(queue);
    const third = nextClaim(queue);
    expect(queue.begin(third)).toBe(500);
    expect([third.state, queue.underWay.size]).toEqual(['waiting', 2]);
    clock.time += 500;
    expect(queue.begin(third)).toBe(0);
  });

  test('it resumes once after a wait, however often that was asked for', async () => {
    const queue = filled(1);
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
    const queue = queueOf();
    expect(queue.reserve(share)).toMatchObject({ orgId: ORG, destinationId: queue.stored.id, limit: 8 });
    offer(queue, '1', '2', '3');
    expect(queue.room(AT_ONCE)).toBe(5);
    begun(queue);
    expect(queue.room(AT_ONCE)).toBe(5);
    queue.answered(begun(queue), 'delivered');
    expect(queue.room(AT_ONCE)).toBe(6);
  });

  test('a little room is not worth a claim while there is something to send', () => {
    const queue = filled(7);
    expect([queue.room(AT_ONCE), queue.reserve(share)]).toEqual([0, null]);
    queue.finish(begun(queue));
    expect(queue.room(AT_ONCE)).toBe(2);
  });

  test('further ahead for a quick destination, up to a bound', () => {
    const queue = queueOf();
    for (let n = 0; n < 100; n++) {
      offer(queue, String(n));
      queue.finish(begun(queue));
    }
    expect(queue.reserve(share)?.limit).toBe(200);
    expect(queue.room(AT_ONCE)).toBe(8);
    expect(queue.room(10_000)).toBe(512);
  });

  test('no further ahead than a rate lets out within half a minute', () => {
    expect(queueOf({ rate_per_second: 1 }).room(100)).toBe(30);
  });

  test('within its bytes; where none are left, one at a time', () => {
    const queue = queueOf();
    expect(queue.reserve({ atOnce: AT_ONCE, inMemory: 16, bytes: 5_000 })?.bytes).toBe(5_000);
    expect(queue.reserve({ atOnce: AT_ONCE, inMemory: 16, bytes: 1 << 30 })?.bytes).toBe(1 << 20);
    expect(queue.reserve({ atOnce: AT_ONCE, inMemory: 16, bytes: -1 })).toMatchObject({ limit: 1, bytes: 0 });
    offer(queue, '1');
    expect(queue.reserve({ atOnce: AT_ONCE, inMemory: 16, bytes: -1 })).toBeNull();
  });

  test('it wants more only while more was due and there is room', () => {
    const queue = queueOf();
    expect(queue.wantsMore(AT_ONCE)).toBe(true);
    queue.reserve(share);
    offer(queue);
    expect(queue.wantsMore(AT_ONCE)).toBe(false);
    queue.reserve(share);
    expect(queue.wantsMore(AT_ONCE)).toBe(true);
    offer(queue, ...Array.from({ length: 8 }, (_, n) => String(n)));
    expect(queue.wantsMore(AT_ONCE)).toBe(false);
  });

  test('the size of a delivery is that of the last ones', () => {
    const queue = filled(2);
    expect(queue.meanBytes).toBe(OUTPUT.length);
  });
});

describe('a suspect queue', () => {
  test('keeps what it has and lets nothing out, until it is confirmed', () => {
    const queue = filled(2);
    const claim = begun(queue);
    expect(queue.mayGoOut(claim)).toBe(true);
    queue.suspect();
    expect([queue.isSuspect, queue.next(AT_ONCE), queue.reserve(share)]).toEqual([true, null, null]);
    expect(queue.mayGoOut(claim)).toBe(false);
    expect(queue.confirm({ ...queue.stored }, queue.suspicions)).toBe(true);
    expect([queue.isSuspect, queue.mayGoOut(claim)]).toEqual([false, true]);
    expect(nextClaim(queue).delivery.id).toBe('2');
    expect(givenBack).toEqual([]);
  });

  test('is not confirmed by a read that began before it was suspected again', () => {
    const queue = filled(1);
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
    const queue = filled(1);
    queue.suspect();
    expect(queue.confirm(change(queue.stored), queue.suspicions)).toBe(false);
    expect([queue.isSuspect, queue.next(AT_ONCE)]).toEqual([true, null]);
  });
});

describe('a retired queue', () => {
  test('gives back what waits, and is closed at once where nothing is under way', () => {
    const queue = filled(2);
    queue.retire();
    expect([givenBack, held, closed]).toEqual([['1', '2'], 0, 1]);
    expect([queue.isRetired, queue.next(AT_ONCE), queue.reserve(share)]).toEqual([true, null, null]);
    expect(queue.wantsMore(AT_ONCE)).toBe(false);
  });

  test('while it is sending: that ends, and it is closed with the last of it', () => {
    const queue = filled(3);
    const [first, second] = [begun(queue), begun(queue)];
    queue.retire();
    expect([givenBack, closed]).toEqual([['3'], 0]);
    expect(queue.mayGoOut(first)).toBe(false);
    queue.answered(first, 'failed');
    queue.finish(first);
    expect(closed).toBe(0);
    queue.finish(second);
    expect([closed, held]).toEqual([1, 0]);
  });

  test('resumes no more, whether that was asked for before or after', async () => {
    const queue = filled(1);
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
    const queue = filled(1);
    const claim = begun(queue);
    queue.retire();
    for (let n = 0; n < FAILURES_TO_OPEN; n++) expect(queue.answered(claim, 'failed')).toBeNull();
    expect(queue.downSince).toBeNull();
  });
});

describe('withdrawals', () => {
  test('what was withdrawn while it waited is taken out; the others go on', () => {
    const queue = filled(3);
    queue.recheck(['2']);
    const check = nextCheck(queue);
    expect(idsOf(check.claims)).toEqual(['1', '2', '3']);
    expect([queue.next(AT_ONCE), queue.wantsMore(AT_ONCE)]).toEqual([null, false]);
    queue.checked(check, new Set(['1', '3']));
    expect([begun(queue), begun(queue)].map(({ delivery }) => delivery.id)).toEqual(['1', '3']);
    expect(queue.next(AT_ONCE)).toBeNull();
    expect([held, givenBack]).toEqual([2 * OUTPUT.length, []]);
  });

  test('of others leave what it holds known', () => {
    const queue = filled(1);
    queue.recheck(['9']);
    expect(nextClaim(queue).delivery.id).toBe('1');
  });

  test('that come while a claim is being made count for what it brings', () => {
    const queue = queueOf();
    queue.reserve(share);
    queue.recheck(['9']);
    offer(queue, '8', '9');
    expect(idsOf(nextCheck(queue).claims)).toEqual(['8', '9']);
  });

  test('that come while a check is being made ask for another', () => {
    const queue = filled(1);
    queue.recheck();
    const check = nextCheck(queue);
    queue.recheck();
    queue.checked(check, new Set(['1']));
    expect(idsOf(nextCheck(queue).claims)).toEqual(['1']);
  });

  test('after a check that nobody could answer, nothing goes out before another', () => {
    const queue = filled(1);
    queue.recheck();
    queue.checked(nextCheck(queue), null);
    expect(idsOf(nextCheck(queue).claims)).toEqual(['1']);
  });

  test('what was looked up a second ago is looked up again: another node may have withdrawn it', () => {
    const queue = filled(1);
    clock.time += 999;
    expect(nextClaim(queue).delivery.id).toBe('1');
    clock.time += 1;
    const check = nextCheck(queue);
    queue.checked(check, new Set(['1']));
    expect(nextClaim(queue).delivery.id).toBe('1');
  });

  test('what is under way and not sent yet is looked up too', () => {
    const queue = filled(1);
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

describe('the breaker', () => {
  const open: StoredBreaker = {
    openedAt: NOW,
    nextProbeAt: NOW + 1_000,
    probeUntil: null,
    lastProbeAt: null,
    probeEndedAt: null,
    lastFailure: null,
  };
  const probe = { token: 'node 1', leftAt: NOW, until: NOW + 25_000 };

  /** Fails as often as it takes, with one more waiting. */
  function down(): DestinationQueue {
    const queue = filled(FAILURES_TO_OPEN + 1);
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
    const queue = queueOf({}, { breaker: open });
    queue.beginProbe(probe);
    expect(queue.heldTokens()).toEqual(new Set([probe.token]));
    expect(queue.reserve(share)?.limit).toBe(1);
    return queue;
  }

  test('opens after failures in a row, and what waits is given back', () => {
    const queue = down();
    expect([givenBack, queue.downSince, queue.reserve(share), queue.room(AT_ONCE)]).toEqual([
      ['51'],
      NOW,
      null,
      0,
    ]);
  });

  test('what was being claimed while it opened is given back', () => {
    const queue = queueOf();
    queue.reserve(share);
    queue.adopt(open);
    offer(queue, '1', '2');
    expect([givenBack, queue.next(AT_ONCE)]).toEqual([['1', '2'], null]);
  });

  test('open, it wants a probe at its moment, and one delivery is claimed for that', () => {
    const queue = down();
    expect([queue.wantsProbe(NOW), queue.nextProbeAt(NOW)]).toEqual([false, NOW + 1_000]);
    clock.time += 1_000;
    expect(queue.wantsProbe(NOW)).toBe(true);
    expect(queue.reserve(share)).toBeNull();
    queue.beginProbe(probe);
    expect(queue.reserve(share)?.limit).toBe(1);
    offer(queue, 'probe');
    const claim = begun(queue);
    expect([claim.probe, queue.reserve(share)]).toEqual([probe, null]);
    expect(queue.heldTokens()).toContain(probe.token);
    expect(queue.answered(claim, 'delivered')).toBe('closed');
    queue.finish(claim);
    expect([queue.downSince, probesGivenBack]).toEqual([null, []]);
  });

  test('after a probe that failed it waits for the next moment', () => {
    const queue = probing();
    offer(queue, 'probe');
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
    expect([queue.nextProbeAt(NOW), queue.nextProbeAt(NOW + 6), probesGivenBack]).toEqual([
      NOW + 2_000,
      NOW + 6,
      [],
    ]);
  });

  test('while another node has the probe it wants none, and reads now and then what became of that', () => {
    const queue = queueOf({}, { breaker: { ...open, probeUntil: NOW + 25_000 } });
    clock.time = NOW + 4_999;
    expect([queue.wantsProbe(NOW), queue.nextProbeAt(NOW), queue.hasStaleBreaker]).toEqual([
      false,
      NOW + 25_000,
      false,
    ]);
    clock.time = NOW + 5_000;
    expect(queue.hasStaleBreaker).toBe(true);
    expect(queue.confirm({ ...queue.stored, breaker: open }, queue.suspicions)).toBe(true);
    expect([queue.hasStaleBreaker, queue.wantsProbe(NOW)]).toEqual([false, true]);
  });

  test('a probe that comes to nothing is given back, whatever the reason', () => {
    const ways: ((queue: DestinationQueue) => void)[] = [
      queue => offer(queue),
      queue => queue.retire(),
      queue => queue.drain(),
      queue => {
        offer(queue, 'probe');
        queue.finish(begun(queue));
      },
      queue => {
        offer(queue, 'late');
        clock.time = probe.until;
        queue.next(AT_ONCE);
      },
      queue => {
        offer(queue, 'withdrawn');
        queue.recheck();
        queue.checked(nextCheck(queue), new Set());
      },
    ];
    for (const [n, way] of ways.entries()) {
      clock.time = NOW;
      way(probing());
      expect(probesGivenBack).toHaveLength(n + 1);
    }
  });

  test('takes over what other nodes have found out, and counts its own failures while it is closed', () => {
    const queue = queueOf({}, { breaker: open });
    queue.adopt(null);
    expect(queue.downSince).toBeNull();
    offer(queue, ...Array.from({ length: FAILURES_TO_OPEN }, (_, n) => `${n}`));
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
      queue.confirm({ ...queue.stored, breaker: { ...open, openedAt: NOW - 7 } }, queue.suspicions),
    ).toBe(true);
    expect(queue.downSince).toBe(NOW - 7);
  });

  test('what failed on this side says nothing of the destination', () => {
    const queue = filled(FAILURES_TO_OPEN + 1);
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

describe('idle', () => {
  test('counts from the last thing it did, and not while it has something to do', () => {
    const queue = filled(1);
    clock.time += 500;
    expect(queue.idleMs()).toBe(0);
    const claim = begun(queue);
    expect(queue.idleMs()).toBe(0);
    queue.finish(claim);
    clock.time += 700;
    expect(queue.idleMs()).toBe(700);
  });

  test('a queue that waits for its breaker is not', () => {
    const moments = { openedAt: NOW, nextProbeAt: NOW + 1, lastProbeAt: null, probeEndedAt: null };
    const breaker = { ...moments, probeUntil: null, lastFailure: null };
    const queue = queueOf({}, { breaker });
    clock.time += 700;
    expect(queue.idleMs()).toBe(0);
  });

  test('what is drained is over, and for the caller to give back', () => {
    const queue = filled(2);
    expect(idsOf(queue.drain())).toEqual(['1', '2']);
    expect([queue.drain(), held, givenBack, queue.next(AT_ONCE)]).toEqual([[], 0, [], null]);
  });
});

describe('what is handed over', () => {
  const promise = (queue: DestinationQueue) => queue.promise(share, OUTPUT.length);
  const grant = () => ({ token: 'token', knownAt: clock.time });
  const accept = (queue: DestinationQueue, id: string) => {
    const promised = promise(queue);
    if (promised === null) throw new Error('There is no room.');
    queue.accept(deliveryOf(id), grant(), promised);
  };

  test('goes out like what was claimed', () => {
    const queue = queueOf();
    accept(queue, 'one');
    expect([queue.bytes, held, queue.heldTokens()]).toEqual([
      OUTPUT.length,
      OUTPUT.length,
      new Set(['token']),
    ]);
    const claim = begun(queue);
    queue.answered(claim, 'delivered');
    queue.finish(claim);
    expect([claim.delivery.id, queue.bytes, held]).toEqual(['one', 0, 0]);
  });

  test('has room for its share', () => {
    const queue = queueOf();
    const promises = Array.from({ length: share.inMemory }, () => promise(queue));
    expect(promises).not.toContain(null);
    expect(promise(queue)).toBeNull();
    promises[0]?.end();
    expect(promise(queue)).not.toBeNull();
  });

  test('keeps no room from what waits in storage, and takes turns with it however often that is claimed', () => {
    const queue = queueOf();
    for (let n = 0; n < 16; n++) accept(queue, 'made');
    expect(queue.room(AT_ONCE)).toBe(2 * AT_ONCE);
    offer(queue, 'claimed', 'claimed');
    expect(queue.room(AT_ONCE)).toBe(2 * AT_ONCE - 2);
    const out: string[] = [];
    for (let next = queue.next(AT_ONCE); next !== null; next = queue.next(AT_ONCE)) {
      const claim = begun(queue);
      out.push(claim.delivery.id);
      if (out.length < 12) offer(queue, 'claimed');
      queue.answered(claim, 'delivered');
      queue.finish(claim);
    }
    const [made, claimed] = ['made', 'claimed'];
    expect(out.slice(0, 12)).toEqual(Array(3).fill([made, made, made, claimed]).flat());
    expect(out).toHaveLength(16 + 2 + 11);
    expect([queue.bytes, held]).toEqual([0, 0]);
  });

  test('counts as held from when it was promised room', () => {
    const queue = queueOf();
    const promised = promise(queue);
    expect([queue.bytes, held]).toEqual([OUTPUT.length, OUTPUT.length]);
    promised?.end();
    promised?.end();
    expect([queue.bytes, held]).toEqual([0, 0]);
  });

  test('has no more room than its rate lets out soon, nor any where memory is used up', () => {
    const queue = queueOf({ rate_per_second: 0.1 });
    const promises = Array.from({ length: 9 }, () => promise(queue)).filter(one => one !== null);
    expect(promises.length).toBeLessThan(5);
    expect(queueOf().promise({ ...share, bytes: 0 }, 1)).toBeNull();
  });

  test('has no room while the destination is suspect, down or retired', () => {
    const suspect = queueOf();
    suspect.suspect();
    expect(promise(suspect)).toBeNull();
    const down = queueOf();
    down.adopt({ openedAt: NOW, nextProbeAt: NOW + 1_000 } as StoredBreaker);
    expect(promise(down)).toBeNull();
    const retired = queueOf();
    retired.retire();
    expect(promise(retired)).toBeNull();
  });

  test('is given back where the breaker has opened since', () => {
    const queue = queueOf();
    const promised = promise(queue);
    queue.adopt({ openedAt: NOW, nextProbeAt: NOW + 1_000 } as StoredBreaker);
    if (promised) queue.accept(deliveryOf('late'), grant(), promised);
    expect([givenBack, held]).toEqual([['late'], 0]);
  });

  test('is looked up where something was withdrawn before it came', () => {
    const queue = queueOf();
    const promised = promise(queue);
    queue.recheck(['late']);
    if (promised) queue.accept(deliveryOf('late'), grant(), promised);
    expect(idsOf(nextCheck(queue).claims)).toEqual(['late']);
  });
});
