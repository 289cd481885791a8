import { describe, expect, test } from 'bun:test';
import type { ClaimedEvent } from '../../core/stores/event-queue.ts';
import { createUnderWay, type Ending } from './under-way.ts';

const anEvent = (orgId: string, bytes = 10): ClaimedEvent => ({
  orgId,
  event: {
    id: 'evt_1',
    type: 'a',
    icon: null,
    senderId: null,
    entity: null,
    happenedAt: 0,
    receivedAt: 0,
  },
  payload: 'x'.repeat(bytes),
  sourceId: null,
  jobId: null,
  plan: null,
  token: `token of ${orgId}`,
  tries: 1,
});

const MIB = 1024 * 1024;

describe('what is under way', () => {
  const begin = (underWay: ReturnType<typeof createUnderWay>, orgId: string, count: number, bytes?: number) =>
    Array.from({ length: count }, () => underWay.begin(anEvent(orgId, bytes)));
  const wait = (events: readonly Ending[]) => events.map(event => event.waits());

  test('leaves room for others, however much one organisation has, and a batch on top', () => {
    const underWay = createUnderWay();
    begin(underWay, 'one', 511);
    expect(underWay.room()).toEqual({ limit: 256, bytes: 32 * MIB - 5_110, except: [] });
    begin(underWay, 'one', 256);
    expect(underWay.room().except).toEqual(['one']);
    expect(underWay.hasRoom()).toBe(true);
    begin(underWay, 'other', 2);
    expect(underWay.hasRoom()).toBe(false);
  });

  test('leaves a claim’s worth of room to storage, however much there is in memory, and the other way round', () => {
    const underWay = createUnderWay();
    const take = (orgId: string) => {
      for (let taken = 0; ; taken++) {
        if (!underWay.hasRoomForOne() || underWay.hasEnough(orgId)) return taken;
        underWay.begin({ ...anEvent(orgId), isBornClaimed: true });
      }
    };
    expect(take('one')).toBe(384);
    expect(underWay.room()).toMatchObject({ limit: 256, except: [] });
    expect(take('other')).toBe(256);
    expect([underWay.hasRoom(), underWay.room().limit]).toEqual([true, 256]);

    const backlog = createUnderWay();
    begin(backlog, 'one', 767);
    expect(backlog.room().except).toEqual(['one']);
    expect([backlog.hasRoomForOne(), backlog.hasEnough('one')]).toEqual([true, false]);
  });

  test('counts what waits for others as no part of what was taken from memory', () => {
    const underWay = createUnderWay();
    for (let n = 0; n < 255; n++) underWay.begin({ ...anEvent('one'), isBornClaimed: true }).waits();
    expect(underWay.hasEnough('one')).toBe(false);
    underWay.begin({ ...anEvent('one'), isBornClaimed: true }).waits();
    expect(underWay.hasEnough('one')).toBe(true);
  });

  test('does not count those that wait for a model against anybody but their own organisation', () => {
    const underWay = createUnderWay();
    for (const orgId of ['a', 'b', 'c', 'd', 'e']) wait(begin(underWay, orgId, 256));
    expect(underWay.count()).toBe(1_280);
    expect(underWay.room()).toEqual({ limit: 256, bytes: 32 * MIB, except: ['a', 'b', 'c', 'd', 'e'] });
    expect(underWay.hasRoom()).toBe(true);
  });

  test('bounds those that wait by their size too', () => {
    const underWay = createUnderWay();
    wait(begin(underWay, 'large', 8, MIB));
    wait(begin(underWay, 'small', 8));
    expect(underWay.room().except).toEqual(['large']);
  });

  test('gives those who wait no more where very many wait altogether', () => {
    const underWay = createUnderWay();
    for (let n = 0; n < 16; n++) wait(begin(underWay, `org ${n}`, 255, 5 * 1024));
    wait(begin(underWay, 'late', 15));
    expect(underWay.room().except).toEqual([]);
    wait(begin(underWay, 'late', 1));
    begin(underWay, 'other', 1);
    expect(underWay.room().except).toHaveLength(17);
    expect(underWay.room().except).not.toContain('other');
  });

  test('says when an organisation may claim again', () => {
    const underWay = createUnderWay();
    const events = begin(underWay, 'one', 256);
    wait(events);
    expect(events.map(event => event.end())).toEqual([true, ...Array.from({ length: 255 }, () => false)]);
    expect(underWay.count()).toBe(0);
  });

  test('names the claims that are to be extended', () => {
    const underWay = createUnderWay();
    const [first, second] = begin(underWay, 'one', 2);
    begin(underWay, 'other', 1);
    first?.end();
    expect(underWay.tokens()).toEqual(['token of one', 'token of other']);
    second?.end();
    expect(underWay.tokens()).toEqual(['token of other']);
  });
});
