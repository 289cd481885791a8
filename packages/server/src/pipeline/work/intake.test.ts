import { beforeEach, describe, expect, test } from 'bun:test';
import type { AppendRequest, AppendResult } from '../../core/stores/journal.ts';
import type { Reservation } from '../../core/work/reservation.ts';
import { createIntake, type Intake } from './intake.ts';

const MIB = 1024 * 1024;

let intake: Intake;
let stored: number;
let made: number;
/** Organisations that no pipeline listens for, and those that were told of. */
const unrouted = new Set<string>();
let told: string[];

beforeEach(() => {
  stored = 0;
  made = 0;
  unrouted.clear();
  told = [];
  intake = createIntake({
    findUnrouted: ({ orgId }) => (unrouted.has(orgId) ? { matchedSources: [[]] } : null),
    onUnrouted: ({ orgId }) => told.push(orgId),
    onStored: () => {
      stored++;
    },
  });
});

const aRequest = (orgId: string, count = 1, bytes = 2): AppendRequest => ({
  orgId,
  sourceId: null,
  receivedAt: 7,
  idempotency: null,
  events: Array.from({ length: count }, () => ({
    id: `evt_${++made}`,
    type: 'a',
    icon: null,
    payload: 'x'.repeat(bytes),
    senderId: null,
    entityKind: 'customer',
    entityExternalId: 'c 1',
    happenedAt: 5,
  })),
});

const resultOf = ({ events }: AppendRequest, duplicates: readonly number[] = []): AppendResult => ({
  kind: 'stored',
  events: events.map(({ id }, n) => ({ id, duplicate: duplicates.includes(n) })),
});

const isFull = (requests: readonly AppendRequest[]) => intake.reserve(requests, 'none') === null;

function reserve(
  requests: readonly AppendRequest[],
  token = 'node 1',
): Reservation<AppendRequest, AppendResult> {
  const reservation = intake.reserve(requests, token);
  if (reservation === null) throw new Error('There is no room.');
  return reservation;
}

function store(...requests: AppendRequest[]): void {
  reserve(requests).stored(requests.map(request => resultOf(request)));
}

const takeAll = (hasEnough: (orgId: string) => boolean = () => false) => {
  const taken: string[] = [];
  for (let next = intake.take(hasEnough); next !== null; next = intake.take(hasEnough)) {
    taken.push(`${next.orgId} ${next.event.id}`);
  }
  return taken;
};

describe('what was accepted here', () => {
  test('is taken as claimed, with all that a pipeline needs, once it is stored', () => {
    const request = aRequest('a');
    const reservation = reserve([request]);
    expect(reservation.items).toEqual([{ ...request, claimToken: 'node 1' }]);
    expect([intake.take(() => false), intake.tokens(), intake.reserved()]).toEqual([null, ['node 1'], 1]);
    reservation.stored([resultOf(request)]);
    expect([stored, intake.reserved()]).toEqual([1, 0]);
    expect(intake.take(() => false)).toEqual({
      orgId: 'a',
      event: {
        id: 'evt_1',
        type: 'a',
        icon: null,
        senderId: null,
        entity: { kind: 'customer', externalId: 'c 1' },
        happenedAt: 5,
        receivedAt: 7,
      },
      payload: 'xx',
      sourceId: null,
      jobId: null,
      plan: null,
      token: 'node 1',
      isBornClaimed: true,
      tries: 1,
    });
    expect([intake.take(() => false), intake.tokens()]).toEqual([null, []]);
  });

  test('is taken by organisations in turn, but for those that have enough under way', () => {
    store(aRequest('a', 3), aRequest('b', 1), aRequest('c', 2));
    expect(takeAll(orgId => orgId === 'c')).toEqual(['a evt_1', 'b evt_4', 'a evt_2', 'a evt_3']);
    store(aRequest('a', 1));
    expect(takeAll()).toEqual(['c evt_5', 'a evt_7', 'c evt_6']);
  });

  test('is nothing that was a duplicate, in conflict, or not stored', () => {
    const [some, conflict] = [aRequest('a', 3), aRequest('a')];
    reserve([some, conflict]).stored([resultOf(some, [1]), { kind: 'conflict' }]);
    reserve([aRequest('a')], 'node 2').failed();
    expect(takeAll()).toEqual(['a evt_1', 'a evt_3']);
    expect(intake.tokens()).toEqual([]);
  });

  test('belongs to others once the node was declared dead, also what was being stored then', () => {
    store(aRequest('a'));
    const request = aRequest('a');
    const reservation = reserve([request]);
    intake.clear();
    reservation.stored([resultOf(request)]);
    expect([takeAll(), intake.tokens(), intake.reserved()]).toEqual([[], [], 0]);
    store(aRequest('a'));
    expect(takeAll()).toEqual(['a evt_3']);
  });
});

describe('there is room', () => {
  test('for so many events of one organisation, and for those of others beside it', () => {
    store(aRequest('a', 2_000));
    const [tooMany, others] = [aRequest('a', 49), aRequest('b')];
    const { items } = reserve([tooMany, others]);
    expect(items.map(({ claimToken }) => claimToken)).toEqual([undefined, 'node 1']);
  });

  test('for so many bytes of one organisation and of all', () => {
    store(aRequest('a', 1, 16 * MIB));
    expect(isFull([aRequest('a')])).toBe(true);
    store(aRequest('b', 1, 15 * MIB));
    expect(isFull([aRequest('c', 1, 2 * MIB)])).toBe(true);
    takeAll();
    expect(isFull([aRequest('c', 1, 2 * MIB)])).toBe(false);
  });

  test('where events will not be processed any more', () => {
    store(aRequest('a', 2_048), aRequest('b', 2));
    intake.forget(
      'a',
      Array.from({ length: 2_047 }, (_, n) => `evt_${n + 1}`),
    );
    intake.forget('b', ['evt_2049', 'evt_2050']);
    expect(takeAll()).toEqual(['a evt_2048']);
    expect(intake.tokens()).toEqual([]);
    expect(isFull([aRequest('a', 2_048)])).toBe(false);
  });

  test('again after whatever became of what it was kept for', () => {
    for (let n = 0; n < 20; n++) {
      const request = aRequest('a', 1_500);
      const reservation = reserve([request]);
      if (n % 3 === 0) reservation.failed();
      else if (n % 3 === 1) reservation.stored([{ kind: 'conflict' }]);
      else reservation.stored([resultOf(request, [0])]);
      takeAll();
    }
    expect(intake.tokens()).toEqual([]);
    expect(isFull([aRequest('a', 2_048)])).toBe(false);
  });
});

test('what no pipeline listens to takes no room, is marked so, and is told of once it is stored', () => {
  unrouted.add('quiet');
  const [quiet, busy] = [aRequest('quiet', 5_000), aRequest('busy')];
  const reservation = reserve([quiet, busy]);
  expect(reservation.items[0]).toEqual({ ...quiet, unrouted: { matchedSources: [[]] } });
  expect(reservation.items[1]).toEqual({ ...busy, claimToken: 'node 1' });
  expect(told).toEqual([]);
  reservation.stored([resultOf(quiet), resultOf(busy)]);
  expect(told).toEqual(['quiet']);
  expect(takeAll()).toEqual(busy.events.map(({ id }) => `busy ${id}`));

  reserve([quiet]).failed();
  expect(told).toEqual(['quiet']);
});
