import { expect, test } from 'bun:test';
import { eventOutcomes } from '@sluice/contract/dashboard-events';
import { idTime } from '../../../src/core/ids.ts';
import type { EventFilter } from '../../../src/core/stores/journal.ts';
import { aDestination, routedTo } from './delivery-samples.ts';
import { aClaimInput, aRun, aSettlement } from './pipeline-samples.ts';
import { anEvent, aRequest, idAt, NOW, storedOrganisation } from './samples.ts';
import type { Subject } from './suite.ts';

const PATIENT_MS = 10_000;

export function eventTimesContract(subject: Subject): void {
  const timesOf = (org: string, filter: EventFilter = {}, most = 1_000) =>
    subject.storage.listEventTimes(org, filter, { most, budgetMs: PATIENT_MS });
  const listed = async (org: string, filter: EventFilter) => {
    const page = { limit: 100, below: null, budgetMs: PATIENT_MS };
    return (await subject.storage.listEvents(org, filter, page)).events.map(({ id }) => id);
  };

  test('as many are counted as are listed, whatever they came to, and each comes to one thing', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const [up, paused, down, gone] = [
      aDestination(org),
      aDestination(org, { paused: true }),
      aDestination(org),
      aDestination(org),
    ];
    for (const destination of [up, paused, down, gone]) await storage.createDestination(destination);
    const all = [
      await routedTo(storage, org, [up.id]),
      await routedTo(storage, org, [paused.id]),
      await routedTo(storage, org, [down.id]),
      await routedTo(storage, org, [gone.id]),
      await routedTo(storage, org, [gone.id, up.id]),
    ];
    await storage.openBreaker(org, down.id, { openedAt: NOW, nextProbeAt: NOW + 1_000, failure: 'timeout' });
    await storage.deleteDestination(org, gone.id, 'ada@example.com', NOW);

    const rest = Array.from({ length: 5 }, () => anEvent());
    await storage.append([aRequest(org, rest)]);
    const { events } = await storage.claimEvents(aClaimInput({ after: org.slice(0, -1) }));
    const own = events.filter(claimed => claimed.orgId === org);
    const outcomes = [
      [aRun({ outcome: 'failed', reason: 'No.' })],
      [aRun({ outcome: 'dropped' })],
      [aRun({ outcome: 'routed' })],
      [],
    ];
    await storage.settleEvents(
      outcomes.flatMap((runs, n) => (own[n] ? [aSettlement(own[n], { runs })] : [])),
      NOW,
    );
    await storage.releaseClaims(
      events.filter(claimed => !own.slice(0, 4).includes(claimed)).map(({ token }) => token),
      NOW,
    );

    const byOutcome: Record<string, string[]> = {};
    for (const outcome of eventOutcomes) {
      const ids = await listed(org, { outcome });
      const { times, more, searchedTo } = await timesOf(org, { outcome });
      expect({ outcome, times, more, searchedTo }).toEqual({
        outcome,
        times: ids.map(idTime),
        more: false,
        searchedTo: null,
      });
      if (ids.length > 0) byOutcome[outcome] = ids;
    }
    const [toUp = '', toPaused = '', toDown = '', toGone = '', toBoth = ''] = all;
    expect(byOutcome).toMatchObject({
      // What waited for a destination that was deleted will not arrive.
      'not delivered': [toGone],
      delivering: [toBoth, toPaused, toUp],
      failing: [toDown],
      failed: [own[0]?.event.id ?? ''],
      dropped: [own[1]?.event.id ?? ''],
      'no match': [own[2]?.event.id ?? ''],
      unrouted: [own[3]?.event.id ?? ''],
      accepted: [own[4]?.event.id ?? ''],
    });
    expect(Object.values(byOutcome).flat().toSorted()).toEqual(
      [...all, ...rest.map(({ id }) => id)].toSorted(),
    );
  });

  test('are counted up to a limit, newest first, of this organisation alone', async () => {
    const org = idAt('org', NOW);
    const moments = [0, 1_000, 2_000, 3_000].map(ms => NOW + ms);
    await subject.storage.append(
      moments.map((at, n) =>
        aRequest(org, [anEvent({ id: idAt('evt', at), type: n === 0 ? 'first' : 'later' })], {
          receivedAt: at,
        }),
      ),
    );
    const newestFirst = moments.toReversed();
    const whole = { more: false, searchedTo: null, oldest: NOW };
    expect(await timesOf(org)).toEqual({ times: newestFirst, ...whole });
    expect(await timesOf(org, {}, 4)).toEqual({ times: newestFirst, ...whole });
    expect(await timesOf(org, {}, 2)).toEqual({ times: newestFirst.slice(0, 2), ...whole, more: true });
    expect(await timesOf(org, { type: 'later' }, 2)).toMatchObject({ more: true });
    expect(await timesOf(org, { after: NOW, before: NOW + 3_000 })).toMatchObject({
      times: [NOW + 2_000, NOW + 1_000],
    });
    expect(await timesOf(org, { type: 'first' })).toEqual({ times: [NOW], ...whole });
    expect(await timesOf(idAt('org', NOW))).toEqual({ times: [], ...whole, oldest: null });
  });

  test('a count that runs out of time says how far back it came', async () => {
    const org = idAt('org', NOW);
    const events = Array.from({ length: 120 }, (_, n) => anEvent({ id: idAt('evt', NOW + n) }));
    await subject.storage.append([aRequest(org, events)]);
    const { times, more, searchedTo } = await subject.storage.listEventTimes(
      org,
      { type: 'order.created' },
      { most: 1_000, budgetMs: -1 },
    );
    expect(more).toBe(false);
    expect(times.length).toBeGreaterThan(0);
    expect(times.length).toBeLessThan(120);
    expect(searchedTo).not.toBeNull();
    expect(times.every(at => at >= (searchedTo ?? 0))).toBe(true);
  });

  test('types are those that came in lately, the most frequent first', async () => {
    const org = idAt('org', NOW);
    const types = ['old', 'rare', 'often', 'often'];
    await subject.storage.append([
      aRequest(
        org,
        types.map((type, n) => anEvent({ id: idAt('evt', NOW + n), type })),
      ),
    ]);
    const list = (latest: number, most = 10) => subject.storage.listEventTypes(org, { latest, most });
    expect(await list(3)).toEqual([
      { type: 'often', count: 2 },
      { type: 'rare', count: 1 },
    ]);
    expect(await list(10, 1)).toEqual([{ type: 'often', count: 2 }]);
    expect(await subject.storage.listEventTypes(idAt('org', NOW), { latest: 10, most: 10 })).toEqual([]);
  });

  test('payloads are read as far as there is room, and a piece of each around what is searched for', async () => {
    const { storage } = subject;
    const org = idAt('org', NOW);
    const payloads = ['{"t":"Grüße"}', `{"t":"${'x'.repeat(3_000)} NEEDLE"}`, '{"t":3}'];
    const events = payloads.map(payload => anEvent({ payload }));
    await storage.append([aRequest(org, events)]);
    const ids = events.map(({ id }) => id);
    const [first = '', second = '', third = ''] = ids;
    // Bytes and not characters: the first has two of two.
    expect(await storage.readPayloads(org, ids, 15)).toEqual({
      payloads: { [first]: payloads[0] ?? '' },
      covered: 1,
    });
    expect((await storage.readPayloads(org, ids, 1)).covered).toBe(1);
    expect((await storage.readPayloads(org, ids, 4_000)).covered).toBe(3);
    expect(await storage.readPayloads(org, [idAt('evt', NOW), third], 7)).toEqual({
      payloads: { [third]: '{"t":3}' },
      covered: 2,
    });
    expect(await storage.readPayloads(idAt('org', NOW), ids, 4_000)).toEqual({ payloads: {}, covered: 3 });

    const plain = await storage.excerptPayloads(org, ids, undefined);
    expect(plain[first]).toEqual({ before: '{"t":"Grüße"}', hit: '', after: '' });
    expect(plain[second]?.before).toEndWith('…');
    const found = await storage.excerptPayloads(org, ids, 'needle');
    expect(found[second]).toMatchObject({ hit: 'NEEDLE', after: '"}' });
    expect(found[third]).toEqual({ before: '{"t":3}', hit: '', after: '' });
    expect(await storage.excerptPayloads(idAt('org', NOW), ids, 'needle')).toEqual({});
  });

  test('of a list of large payloads only so much is read for the pieces; small ones find room behind them', async () => {
    const { storage } = subject;
    const org = idAt('org', NOW);
    const large = `{"t":"${'x'.repeat(6 * 1024 * 1024)}"}`;
    const events = [large, large, large, '{"t":"small"}'].map(payload => anEvent({ payload }));
    for (const event of events) await storage.append([aRequest(org, [event])]);
    const ids = events.map(({ id }) => id);
    for (const text of [undefined, 'needle']) {
      const excerpts = await storage.excerptPayloads(org, ids, text);
      expect(ids.map(id => excerpts[id]?.before.slice(0, 13))).toEqual([
        '{"t":"xxxxxxx',
        '{"t":"xxxxxxx',
        '…',
        '{"t":"small"}',
      ]);
    }
  });
}
