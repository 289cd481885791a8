import { beforeEach, expect, test } from 'bun:test';
import { aRun } from '../../../test/contract/storage/pipeline-samples.ts';
import type { PipelineEvent } from '../../core/event/scope.ts';
import type { ClaimedDelivery } from '../../core/stores/delivery-queue.ts';
import type { Settlement } from '../../core/stores/event-queue.ts';
import type { DestinationQueue } from './destination-queue.ts';
import { createHandover, type Handover } from './handover.ts';
import type { Promised } from './promised-room.ts';

const event: PipelineEvent = {
  id: 'evt_1',
  type: 'a',
  icon: null,
  senderId: null,
  entity: null,
  happenedAt: 0,
  receivedAt: 0,
};

let rooms: Map<string, number>;
let offered: ClaimedDelivery[];
let sentFrom: string[];
let givenBack: string[];
let isRefusing: boolean;
let token: string | null;
let handover: Handover;

beforeEach(() => {
  rooms = new Map([
    ['dst_a', 1],
    ['dst_b', 9],
  ]);
  offered = [];
  sentFrom = [];
  givenBack = [];
  isRefusing = false;
  token = 'node 1';
  const queues = new Map(
    [...rooms.keys()].map(id => [id, { stored: { id, orgId: 'org' } } as DestinationQueue]),
  );
  handover = createHandover({
    queueOf: id => queues.get(id),
    newToken: () => token,
    promise({ stored: { id } }): Promised | null {
      const room = rooms.get(id) ?? 0;
      if (room === 0) return null;
      rooms.set(id, room - 1);
      let isOpen = true;
      return {
        at: 5,
        withdrawals: 0,
        end() {
          if (isOpen) rooms.set(id, (rooms.get(id) ?? 0) + 1);
          isOpen = false;
        },
      };
    },
    offer(_queue, delivery, grant, promised) {
      expect(grant).toEqual({ token: 'node 1', knownAt: 5 });
      promised.end();
      if (isRefusing) return false;
      offered.push(delivery);
      return true;
    },
    giveBack: (_token, deliveries) => void givenBack.push(...deliveries.map(({ id }) => id)),
    send: accepted => void sentFrom.push(...[...accepted].map(({ stored }) => stored.id)),
  });
});

const aSettlement = (...destinations: string[][]): Settlement => ({
  orgId: 'org',
  eventId: event.id,
  jobId: null,
  token: 'node 0',
  round: 'first',
  runs: destinations.map((ids, n) => aRun({ destinations: ids, output: `output ${n}`, sourceName: 'Shop' })),
  parked: [],
  matchedSources: null,
  tallies: [],
});

const reserve = (...settlements: Settlement[]) =>
  handover.reserve(
    settlements.map(settlement => ({ settlement, event })),
    77,
  );

test('what has room is settled as claimed, and is offered to its queue once it is on disk', () => {
  const reservation = reserve(aSettlement(['dst_a', 'dst_none'], ['dst_a', 'dst_b']));
  expect(reservation?.items[0]?.claimedDeliveries).toEqual({
    token: 'node 1',
    claims: ['0 dst_a', '1 dst_b'],
  });
  expect([handover.tokens(), offered]).toEqual([['node 1'], []]);
  const claimed = [
    { id: 'dlv_1', run: 0, destinationId: 'dst_a' },
    { id: 'dlv_2', run: 1, destinationId: 'dst_b' },
  ];
  reservation?.stored([{ kind: 'settled', deliveries: 4, state: 'processed', claimed }]);
  expect(offered).toEqual([
    {
      id: 'dlv_1',
      orgId: 'org',
      destinationId: 'dst_a',
      event,
      output: 'output 0',
      sourceName: 'Shop',
      isReplay: false,
      attempt: 0,
      budgetFrom: 0,
      budgetAt: 77,
      isRetried: false,
      dueAt: 77,
    },
    expect.objectContaining({ id: 'dlv_2', destinationId: 'dst_b', output: 'output 1' }),
  ]);
  expect([sentFrom, handover.tokens()]).toEqual([['dst_a', 'dst_b'], []]);
});

test('room that was kept is free again, whatever became of it', () => {
  const before = new Map(rooms);
  reserve(aSettlement(['dst_a', 'dst_b']))?.failed();
  reserve(aSettlement(['dst_a', 'dst_b']))?.stored([{ kind: 'refused' }]);
  // Its destination was paused meanwhile.
  reserve(aSettlement(['dst_a', 'dst_b']))?.stored([{ kind: 'settled', deliveries: 2, state: 'processed' }]);
  token = null;
  expect(reserve(aSettlement(['dst_a', 'dst_b']))).toBeNull();
  expect([rooms, offered, handover.tokens()]).toEqual([before, [], []]);
});

test('what a queue does not take any more is given back', () => {
  isRefusing = true;
  const reservation = reserve(aSettlement(['dst_b'], ['dst_b']));
  const claimed = [0, 1].map(run => ({ id: `dlv_${run}`, run, destinationId: 'dst_b' }));
  reservation?.stored([{ kind: 'settled', deliveries: 2, state: 'processed', claimed }]);
  expect([givenBack, offered, sentFrom, rooms.get('dst_b')]).toEqual([['dlv_0', 'dlv_1'], [], [], 9]);
});

test('a queue of another organisation takes nothing', () => {
  expect(reserve({ ...aSettlement(['dst_a']), orgId: 'other' })).toBeNull();
});

test('where nothing has room, all of it waits in storage', () => {
  rooms.clear();
  expect(reserve(aSettlement(['dst_a']), aSettlement([]))).toBeNull();
});
