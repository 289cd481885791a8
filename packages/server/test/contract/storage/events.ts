import { expect, test } from 'bun:test';
import type { EventFilter, EventPage } from '../../../src/core/stores/journal.ts';
import { aDestination, routedTo } from './delivery-samples.ts';
import { settleAll } from './pipeline-samples.ts';
import { anEvent, aRequest, aWebhookSource, idAt, NOW, storedOrganisation } from './samples.ts';
import type { Subject } from './suite.ts';

const PATIENT_MS = 10_000;

export function eventsContract(subject: Subject): void {
  const orgId = () => idAt('org', NOW);

  const list = (
    org: string,
    filter: EventFilter = {},
    page: { limit?: number; below?: string | null; budgetMs?: number } = {},
  ): Promise<EventPage> =>
    subject.storage.listEvents(org, filter, { limit: 100, below: null, budgetMs: PATIENT_MS, ...page });

  const idsOf = (page: EventPage) => page.events.map(({ id }) => id);

  /** Goes on from page to page until the end, as a client does. */
  async function listAll(org: string, filter: EventFilter, page: { limit: number; budgetMs?: number }) {
    const pages: EventPage[] = [];
    let below: string | null = null;
    do {
      const next: EventPage = await list(org, filter, { ...page, below });
      pages.push(next);
      below = next.next;
    } while (below !== null && pages.length < 200);
    return pages;
  }

  /** Stores an event for each given moment and answers their ids. */
  async function storeAt(org: string, ...moments: number[]): Promise<string[]> {
    const requests = moments.map(at => aRequest(org, [anEvent({ id: idAt('evt', at) })], { receivedAt: at }));
    await subject.storage.append(requests);
    return requests.flatMap(({ events }) => events.map(({ id }) => id));
  }

  test('finds events by their ids, newest first, as they are listed; others and those that are gone are left out', async () => {
    const [org, other] = [orgId(), orgId()];
    const ids = await storeAt(org, NOW, NOW + 1, NOW + 2);
    const [theirs = ''] = await storeAt(other, NOW);
    const asked = [ids[0] ?? '', theirs, ids[2] ?? '', idAt('evt', NOW + 3)];
    const listed = (await list(org)).events.filter(({ id }) => asked.includes(id));
    expect(listed).toHaveLength(2);
    expect(await subject.storage.findEvents(org, asked)).toEqual(listed);
    expect(await subject.storage.findEvents(org, [])).toEqual([]);
  });

  test('finds what became of events among many that came to something else, page by page', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const [near, far] = [aDestination(org), aDestination(org)];
    for (const destination of [near, far]) await storage.createDestination(destination);
    const end = async (destinationId: string, state: 'delivered' | 'dead') => {
      const input = { orgId: org, destinationId, limit: 1_000, bytes: 1 << 28 };
      const claimed = await storage.claimDeliveries([input], { token: 'sender', now: NOW });
      const attempt = {
        n: 1,
        at: NOW,
        durationMs: 1,
        status: null,
        message: null,
        request: '{}',
        response: '',
      };
      await storage.recordAttempts(
        claimed.map(({ id }) => ({
          orgId: org,
          deliveryId: id,
          token: 'sender',
          attempt: { ...attempt, code: state === 'dead' ? 'timeout' : null },
          next: state === 'dead' ? { state, code: 'timeout' as const } : { state },
        })),
      );
    };
    const partly = [];
    for (let round = 0; round < 3; round++) {
      partly.push(await routedTo(storage, org, [near.id, far.id]));
      await routedTo(storage, org, [near.id], { count: 120 });
    }
    await end(near.id, 'dead');
    await end(far.id, 'delivered');
    const pages = await listAll(org, { outcome: 'partly delivered' }, { limit: 1 });
    expect(pages.flatMap(idsOf)).toEqual(partly.toReversed());
    expect(pages[0]?.events[0]).toMatchObject({ deliveryStates: { delivered: 1, dead: 1 } });
    expect((await listAll(org, { outcome: 'not delivered' }, { limit: 100 })).flatMap(idsOf)).toHaveLength(
      360,
    );
    expect((await list(org, { outcome: 'failing' })).events).toEqual([]);
  });

  test('lists newest first, whatever order they came in', async () => {
    const org = orgId();
    const [middle, oldest, newest] = await storeAt(org, NOW, NOW - 5, NOW + 5);
    expect(idsOf(await list(org))).toEqual([newest, middle, oldest] as string[]);
  });

  test('answers an empty page where there is nothing', async () => {
    expect(await list(orgId())).toEqual({ events: [], next: null, searchedTo: null });
    expect(await list(orgId(), { text: 'x' })).toEqual({ events: [], next: null, searchedTo: null });
  });

  test('pages without gaps or repeats, also while new events arrive', async () => {
    const org = orgId();
    const ids = await storeAt(org, ...Array.from({ length: 25 }, (_, n) => NOW + n));
    const first = await list(org, {}, { limit: 10 });
    await storeAt(org, NOW + 100, NOW + 101);
    const second = await list(org, {}, { limit: 10, below: first.next });
    const third = await list(org, {}, { limit: 10, below: second.next });
    expect([first, second, third].flatMap(idsOf)).toEqual(ids.toReversed());
    expect(third.next).toBeNull();
  });

  test('says that there is no more when the last page is just full', async () => {
    const org = orgId();
    await storeAt(org, NOW, NOW + 1);
    expect((await list(org, {}, { limit: 2 })).next).toBeNull();
    expect((await list(org, { type: 'order.created' }, { limit: 2 })).next).toBeNull();
  });

  test('filters by type, state, source and entity, and by all of them together', async () => {
    const org = orgId();
    const source = aWebhookSource(org);
    await subject.storage.createSource(source);
    const paid = anEvent({ type: 'order.paid' });
    const ofEntity = anEvent({ entityKind: 'customer', entityExternalId: '7' });
    const both = anEvent({ type: 'order.paid', entityKind: 'customer', entityExternalId: '7' });
    await subject.storage.append([
      aRequest(org, [anEvent(), paid, ofEntity]),
      aRequest(org, [both], { sourceId: source.id }),
    ]);
    const entity = { kind: 'customer', externalId: '7' };
    const found = async (filter: EventFilter) => idsOf(await list(org, filter));
    expect(await found({ type: 'order.paid' })).toEqual([both.id, paid.id]);
    expect(await found({ type: 'order' })).toEqual([]);
    expect(await found({ entity })).toEqual([both.id, ofEntity.id]);
    expect(await found({ entity: { kind: 'customer', externalId: '8' } })).toEqual([]);
    expect(await found({ source: source.id })).toEqual([both.id]);
    expect(await found({ state: 'processed' })).toEqual([]);
    expect(await found({ state: 'accepted', type: 'order.paid', entity, source: source.id })).toEqual([
      both.id,
    ]);
  });

  test('names the source that an event came through, and its id once it is gone', async () => {
    const org = orgId();
    const source = aWebhookSource(org, { name: 'Shop' });
    await subject.storage.createSource(source);
    const event = anEvent();
    await subject.storage.append([aRequest(org, [event], { sourceId: source.id })]);
    expect((await subject.storage.findEvent(org, event.id))?.sources).toEqual([
      { id: source.id, name: 'Shop' },
    ]);
    await subject.storage.deleteSource(org, source.id, 'ada', NOW);
    expect((await list(org)).events[0]?.sources).toEqual([{ id: source.id, name: source.id }]);
  });

  test('takes after and before as exclusive', async () => {
    const org = orgId();
    const ids = await storeAt(org, NOW, NOW + 1, NOW + 2, NOW + 3);
    const found = async (filter: EventFilter) => idsOf(await list(org, filter)).toReversed();
    expect(await found({ after: NOW })).toEqual(ids.slice(1));
    expect(await found({ before: NOW + 3 })).toEqual(ids.slice(0, 3));
    expect(await found({ after: NOW, before: NOW + 3 })).toEqual(ids.slice(1, 3));
    expect(await found({ after: NOW, before: NOW + 3, type: 'order.created' })).toEqual(ids.slice(1, 3));
    expect(await found({ after: NOW + 3 })).toEqual([]);
  });

  test('cuts a search when its time is up, says how far it came, and goes on from there', async () => {
    const org = orgId();
    const events = Array.from({ length: 9_000 }, (_, n) =>
      anEvent({ id: idAt('evt', NOW + n), type: n % 4_500 === 0 ? 'rare' : 'common' }),
    );
    const rare = events.filter(({ type }) => type === 'rare').map(({ id }) => id);
    for (let n = 0; n < events.length; n += 3_000) {
      await subject.storage.append([aRequest(org, events.slice(n, n + 3_000))]);
    }
    const pages = await listAll(org, { type: 'rare' }, { limit: 10, budgetMs: 0 });
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap(idsOf)).toEqual(rare.toReversed());
    const reached = pages.slice(0, -1).map(({ searchedTo }) => searchedTo ?? 0);
    expect(reached).toEqual(reached.toSorted((a, b) => b - a));
    expect(reached.every(at => at > NOW && at < NOW + 9_000)).toBe(true);
    expect(pages.at(-1)).toMatchObject({ next: null, searchedTo: null });
    expect((await listAll(org, { type: 'rare' }, { limit: 10 })).length).toBe(1);
  });

  test('pages through a search without gaps or repeats', async () => {
    const org = orgId();
    const events = Array.from({ length: 50 }, (_, n) => anEvent({ type: n % 2 === 0 ? 'even' : 'odd' }));
    await subject.storage.append([aRequest(org, events)]);
    const pages = await listAll(org, { type: 'even' }, { limit: 7 });
    expect(pages.flatMap(idsOf)).toEqual(
      events
        .filter(({ type }) => type === 'even')
        .map(({ id }) => id)
        .toReversed(),
    );
    expect(pages.length).toBe(4);
  });

  test('finds nothing of another organisation', async () => {
    const [org, other] = [orgId(), orgId()];
    const [id = ''] = await storeAt(org, NOW);
    expect(await subject.storage.findEvent(other, id)).toBeNull();
    expect((await list(other)).events).toEqual([]);
    expect(await subject.storage.findEvent(org, id)).not.toBeNull();
  });

  test('finds nothing under an id that nobody could have stored', async () => {
    const org = orgId();
    for (const id of ['', 'evt_\0', "evt_' OR ''='", 'evt_\u{D800}']) {
      expect(await subject.storage.findEvent(org, id)).toBeNull();
      expect((await list(org, { type: id, source: id })).events).toEqual([]);
    }
  });

  test("frees a sender's id with its event", async () => {
    const org = orgId();
    const request = (at: number) =>
      aRequest(org, [anEvent({ id: idAt('evt', at), senderId: 'order 1' })], { receivedAt: at });
    await subject.storage.append([request(NOW)]);
    await settleAll(subject.storage, org);
    const cutoffs = { before: NOW + 1, deadBefore: NOW + 1 };
    await subject.storage.pruneEvents(org, cutoffs, { after: null, limit: 10 });
    const [again] = await subject.storage.append([request(NOW + 5)]);
    expect(again).toMatchObject({ events: [{ duplicate: false }] });
  });
}
