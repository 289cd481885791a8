import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { EventSummary } from '@sluice/contract/dashboard-events';
import { openPrivateCalls, type PrivateCalls } from '../../../../test/support/private-calls.ts';
import { days } from '../../../core/clock.ts';
import { idFloor, idTime } from '../../../core/ids.ts';
import { eventCalls } from './events.ts';

const EVENTS = 9_000;
const receivedAt = Date.now() - days(1);
let dashboard: PrivateCalls;

beforeAll(async () => {
  dashboard = await openPrivateCalls();
  const { storage, orgId, calls } = dashboard;
  const at = receivedAt;
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    id: idFloor('evt', at + n),
    type: 'x',
    icon: null,
    payload: n === 0 ? '{"word":"needle"}' : '{}',
    senderId: null,
    entityKind: null,
    entityExternalId: null,
    happenedAt: at + n,
  }));
  await storage.append([{ orgId, sourceId: null, receivedAt: at, events, idempotency: null }]);
  eventCalls(calls, {
    configuration: storage,
    eventQueue: storage,
    deliveryQueue: storage,
    journal: {
      ...storage,
      // The real search, out of time after its first slice.
      listEvents: (org, filter, page) => storage.listEvents(org, filter, { ...page, budgetMs: 0 }),
    },
    pipelineAdmin: {
      showTrace: () => ({ steps: [], cutAt: null, tries: [] }),
      show: () => ({ name: 'None', sources: [], steps: [], destinations: [] }),
    },
  });
});
afterAll(() => dashboard.close());

interface Found {
  readonly data: EventSummary[];
  readonly next_cursor: string | null;
  readonly searched_to: string | null;
}

const search = async (query: string) => (await (await dashboard.get(`/events?${query}`)).json()) as Found;

test('a search that runs out of time says how far back it came, and goes on from there', async () => {
  const reached: number[] = [];
  let found = await search('text=needle');
  while (found.next_cursor !== null) {
    expect(found.data).toEqual([]);
    reached.push(Date.parse(found.searched_to ?? ''));
    found = await search(`text=needle&cursor=${found.next_cursor}`);
  }
  expect(reached.length).toBeGreaterThan(0);
  expect(reached).toEqual([...reached].sort((a, b) => b - a));
  for (const time of reached) expect(time).toBeWithin(receivedAt, receivedAt + EVENTS);
  expect(found.searched_to).toBeNull();
  expect(found.data.map(({ id }) => idTime(id))).toEqual([receivedAt]);
});

test('a list that needs no search is not cut short', async () => {
  const { data, searched_to } = await search('limit=100');
  expect([data.length, searched_to]).toEqual([100, null]);
});
