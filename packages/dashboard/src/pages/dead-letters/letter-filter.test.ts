import { expect, test } from 'bun:test';
import type { DeadLetter, DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { letterOf } from '../../components/delivery/use-is-discarded.ts';
import { coversGroup, groupsOf, matchesFilter } from './letter-filter.ts';

const dead = (given: object = {}) =>
  ({
    kind: 'delivery',
    id: 'dlv_1',
    event_id: 'evt_1',
    pipeline: { id: 'pipe_1', name: 'Orders' },
    destination: { id: 'dst_1', name: 'CRM', kind: 'webhook' },
    code: 'bad_status',
    status: 500,
    created_at: '2026-01-01T00:00:10Z',
    ...given,
  }) as DeadLetter;
const failed = {
  kind: 'event',
  id: 'evt_2',
  event_id: 'evt_2',
  received_at: '2026-01-01T00:00:10Z',
  failures: [
    { pipeline: { id: 'pipe_1', name: 'A', version: 1 }, step: 1, reason: 'No answer.' },
    { pipeline: { id: 'pipe_2', name: 'B', version: 1 }, step: null, reason: 'Unreadable.' },
  ],
} as unknown as DeadLetter;

test('a dead letter is of a list that is narrowed down by what it has, and of no other', () => {
  for (const [filter, isIn] of [
    [{}, true],
    [{ kind: 'delivery', destination: 'dst_1', code: 'bad_status', status: '500' }, true],
    [{ status: 'none' }, false],
    [{ status: 503 }, false],
    [{ destination: 'dst_2' }, false],
    [{ kind: 'event' }, false],
    [{ step: '0' }, false],
    [{ event: 'evt_2' }, false],
    [{ after: '2026-01-01T00:00:10Z' }, false],
    [{ after: '2026-01-01T00:00:09Z', before: '2026-01-01T00:00:11Z' }, true],
  ] as const)
    expect([filter, matchesFilter(dead(), filter)]).toEqual([filter, isIn]);
  expect(matchesFilter(dead({ status: null }), { status: 'none' })).toBe(true);
});

test('a delivery that was given up for an outage is of its group, whatever its last attempt was answered with', () => {
  const delivery = dead({ code: 'destination_down', status: null, attempts: [{ status: 503 }] });
  const filter = { destination: 'dst_1', code: 'destination_down', status: 'none' };
  expect(matchesFilter(letterOf(delivery as DeliveryRecord & DeadLetter), filter)).toBe(true);
});

test('a failed event is found by one failure that has all that is asked for', () => {
  expect(matchesFilter(failed, { pipeline: 'pipe_1', step: '1', reason: 'No answer.' })).toBe(true);
  expect(matchesFilter(failed, { pipeline: 'pipe_2', step: 'none' })).toBe(true);
  expect(matchesFilter(failed, { pipeline: 'pipe_2', step: '1' })).toBe(false);
  expect(matchesFilter(failed, { destination: 'dst_1' })).toBe(false);
});

test('groups come with the filter that leads to them, the largest first', () => {
  const destination = { id: 'dst_1', name: 'CRM', kind: 'webhook' };
  const groups = groupsOf({
    deliveries: 3,
    events: 4,
    most: 100,
    by_destination: [{ destination, code: 'timeout', status: null, count: 3, message: 'Too slow.' }],
    by_pipeline: [{ pipeline: { id: 'pipe_1', name: 'A' }, step: 1, reason: 'No.', count: 4 }],
  });
  expect(groups.map(({ name, why, count }) => [name, why, count])).toEqual([
    ['A', 'failed at step 2', 4],
    ['CRM', 'timeout', 3],
  ]);
  const [events, deliveries] = groups;
  expect(deliveries?.filter).toEqual({
    kind: 'delivery',
    destination: 'dst_1',
    code: 'timeout',
    status: 'none',
  });
  if (events === undefined || deliveries === undefined) throw new Error('There are two.');
  expect([coversGroup({}, events), coversGroup({ kind: 'event' }, deliveries)]).toEqual([true, false]);
  expect(coversGroup({ destination: 'dst_1', after: '2026-01-01T00:00:00Z' }, deliveries)).toBe(true);
  expect(coversGroup({ event: 'evt_1' }, events)).toBe(false);
});
