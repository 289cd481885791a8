import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { EventSummary } from '@sluice/contract/dashboard-events';
import { seconds } from '../../src/core/clock.ts';
import { newId } from '../../src/core/ids.ts';
import { type Browser, dataOf, join, listOf, openBrowser, setUp, stranger } from '../support/dashboard.ts';
import { acceptedIds, expectRefused, ingestWith, toAnswer } from '../support/endpoints.ts';
import { type LiveStream, openStream, type StreamMessage } from '../support/live-stream.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { makeInbox, makePipeline, makeWebhook } from '../support/pipelines.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const engines = {
  'the embedded database': async () => ({ settings: {}, drop: async () => undefined }),
  PostgreSQL: async () => {
    const { url, drop } = await migratedDatabase();
    return { settings: { SLUICE_DATABASE_URL: url }, drop };
  },
};

/** The clock of the services can be put forward, and never back: within a process ids only rise. */
let aheadMs = 0;

const about = (call: string) => (message: StreamMessage) => JSON.parse(message.data).call === call;
const rowsOf = (stream: LiveStream): EventSummary[] =>
  stream.received.flatMap(({ data }) => (JSON.parse(data) as { rows: EventSummary[] }).rows);

for (const [engine, prepare] of Object.entries(engines)) {
  describe(`on ${engine}`, () => {
    let service: TestService;
    let owner: Browser;
    let drop: () => Promise<void>;
    let send: (type: string, payload?: unknown) => Promise<string>;
    const open = (path: string, headers?: Record<string, string>) =>
      openStream(service.url, owner, path, headers);
    beforeAll(async () => {
      const prepared = await prepare();
      drop = prepared.drop;
      service = await startTestService({
        settings: { ...prepared.settings, SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' },
        clock: { now: () => Date.now() + aheadMs },
      });
      owner = await setUp(service);
      const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' }));
      send = async (type, payload = {}) =>
        acceptedIds(await ingestWith(service.url, secret)({ events: [{ type, payload }] }))[0] ?? '';
    });
    afterAll(async () => {
      await service.stop();
      await drop();
    });

    test('a page receives each answer at once, and again when it has changed', async () => {
      const stream = await open('/live?call=/sources&call=/jobs');
      expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
      await stream.next(about('/jobs'));
      await stream.next(about('/sources'));
      expect(stream.received).toHaveLength(2);
      const answer = (await owner.get('/sources')).body;
      expect(JSON.parse(stream.received.find(about('/sources'))?.data ?? '').answer).toEqual(answer);

      await makeWebhook(service.url, owner, 'Announced');
      const changed = await stream.next(({ data }) => data.includes('Announced'));
      expect(changed.event).toBe('answer');
      expect(stream.received.filter(about('/jobs'))).toHaveLength(1);
      stream.close();
    });

    test('an event is followed until it is delivered, its numbers as they were sent', async () => {
      const source = await makeWebhook(service.url, owner, 'Followed');
      const inbox = await makeInbox(owner);
      await makePipeline(owner, { sources: [source.id], destinations: [{ id: inbox }] });
      const id = await source.send('{"n": 12345678901234567890,\n "f": 1.10}');
      const stream = await open(`/live?call=/events/${id}`);
      const delivered = await stream.next(({ data }) => data.includes('"state":"delivered"'));
      expect(delivered.data).toContain('12345678901234567890');
      stream.close();
    });

    test('the tail sends what comes in, and how its state changes', async () => {
      const stream = await open('/live/events?type=tail.one');
      await until(() => stream.received.length > 0, 'the tail has not begun');
      const id = await send('tail.one');
      await send('tail.other');
      await until(() => rowsOf(stream).some(row => row.state === 'unrouted'), 'it was not sent');
      expect(new Set(rowsOf(stream).map(row => row.id))).toEqual(new Set([id]));
      stream.close();
    });

    test('the tail misses nothing when the connection drops in the middle of it', async () => {
      const sent: string[] = [];
      const received = new Set<string>();
      const first = await open('/live/events');
      await until(() => first.received.length > 0, 'the tail has not begun');
      for (let n = 0; n < 20; n++) sent.push(await send(`drop.${n}`));
      await until(() => rowsOf(first).length > 0, 'nothing was sent before the drop');
      first.close();
      for (const row of rowsOf(first)) received.add(row.id);

      for (let n = 20; n < 40; n++) sent.push(await send(`drop.${n}`));
      const second = await open('/live/events', { 'Last-Event-ID': first.received.at(-1)?.id ?? '' });
      for (let n = 40; n < 60; n++) sent.push(await send(`drop.${n}`));
      await until(() => {
        for (const row of rowsOf(second)) received.add(row.id);
        return sent.every(id => received.has(id));
      }, 'some were never sent');
      second.close();
    });

    test('whoever comes back before anything came misses nothing either', async () => {
      const first = await open('/live/events?type=quiet');
      const begun = await first.next(({ event }) => event === 'events');
      first.close();
      const id = await send('quiet');
      const second = await open(`/live/events?type=quiet&after_id=${begun.id}`);
      await until(() => rowsOf(second).some(row => row.id === id), 'it was not sent');
      second.close();
    });

    test('the tail tells of what is retried and arrives long after it came, also to whoever has come back', async () => {
      let status = 503;
      const receiver = startReceiver(() => new Response('', { status }));
      const policy = { attempts: 3, schedule_s: [0, 60], timeout_s: 30 };
      const { id } = dataOf<{ id: string }>(
        await owner.post('/destinations', {
          kind: 'webhook',
          name: 'Fails at first',
          config: { url: receiver.url },
          policy,
        }),
      );
      const source = await makeWebhook(service.url, owner, 'Retried');
      await makePipeline(owner, { sources: [source.id], destinations: [{ id }] });
      const stream = await open('/live/events');
      await until(() => stream.received.length > 0, 'the tail has not begun');
      const late = await source.send('{}');
      const outcomeOn = ({ received }: LiveStream) =>
        received
          .map(({ data }) => JSON.parse(data) as { rows: EventSummary[]; changed: EventSummary[] })
          .flatMap(({ rows, changed }) => [...changed, ...rows])
          .findLast(row => row.id === late)?.outcome;
      await until(() => outcomeOn(stream) === 'failing', 'it was not sent as failing');
      aheadMs += seconds(20);
      // With the second of these a look is over that goes back to before it came no more.
      for (const type of ['later.one', 'later.two']) {
        const newer = await send(type);
        await until(() => rowsOf(stream).some(row => row.id === newer), `${type} was not sent`);
      }
      const back = await open('/live/events', { 'Last-Event-ID': stream.received.at(-1)?.id ?? '' });
      await until(() => outcomeOn(back) === 'failing', 'whoever came back was not told how it is');
      expect(rowsOf(back).some(row => row.id === late)).toBe(false);
      status = 200;
      aheadMs += seconds(61);
      await until(() => outcomeOn(stream) === 'delivered', 'it was not sent as delivered');
      await until(() => outcomeOn(back) === 'delivered', 'whoever came back was not told that it arrived');
      stream.close();
      back.close();
      await receiver.stop();
    });

    test('of what comes too fast the newest is sent, oldest first, and the rest is counted', async () => {
      const orgId = dataOf<{ organisation: { id: string } }>(await owner.get('/session')).organisation.id;
      const stream = await open('/live/events?type=flood');
      await until(() => stream.received.length > 0, 'the tail has not begun');
      const now = Date.now() + aheadMs;
      // More than a page of 1,000: what is on it is counted whole, what is beyond as far as there is time.
      const events = Array.from({ length: 1_100 }, () => ({
        id: newId('evt', now),
        type: 'flood',
        icon: null,
        payload: '{}',
        senderId: null,
        entityKind: null,
        entityExternalId: null,
        happenedAt: now,
      }));
      await service.engine.journal.append([
        { orgId, sourceId: null, receivedAt: now, events, idempotency: null },
      ]);
      const flooded = await stream.next(({ data }) => data.includes('"flood"'));
      const { rows, skipped } = JSON.parse(flooded.data) as { rows: EventSummary[]; skipped: number };
      expect(rows.map(({ id }) => id)).toEqual(events.slice(-200).map(({ id }) => id));
      expect(skipped).toBeWithin(800, 901);
      expect(flooded.id).toBe(events.at(-1)?.id ?? '');
      stream.close();
    });
  });
}

describe('streams are for members, and for as long as they are', () => {
  let service: TestService;
  let owner: Browser;
  beforeAll(async () => {
    service = await startTestService();
    owner = await setUp(service);
  });
  afterAll(() => service.stop());
  const open = (who: Pick<Browser, 'setCookie'>, path: string) => openStream(service.url, who, path);

  test('nobody follows anything without a session', async () => {
    for (const path of ['/live?call=/jobs', '/live/events']) {
      const { response } = await open(openBrowser(service.url), path);
      expectRefused(await toAnswer(response), { status: 401, code: 'unauthenticated' });
    }
  });

  test('what is asked for wrongly is refused before a stream begins', async () => {
    const cases: [string, string][] = [
      ['/live', 'call'],
      ['/live?call=jobs', 'call[0]'],
      ['/live?call=/jobs&cal=/jobs', 'cal'],
      [`/live?${Array.from({ length: 17 }, (_, n) => `call=/jobs/${n}`).join('&')}`, 'call'],
      ['/live/events?stat=failed', 'stat'],
      ['/live/events?after_id=evt_1', 'after_id'],
    ];
    for (const [path, at] of cases) {
      const { response } = await open(owner, path);
      expectRefused(await toAnswer(response), { status: 400, code: 'validation_failed', path: at });
    }
    for (const path of ['/live?call=/jobs', '/live/events']) {
      expectRefused(await owner.get(path), { status: 400, code: 'validation_failed' });
    }
  });

  test('a call that is refused is answered as such, and the others go on', async () => {
    const foreign = await stranger(service.url, owner, 'stranger@example.com');
    const { id } = dataOf<{ id: string }>(
      await owner.post('/sources', { kind: 'webhook', name: 'ours', auth: 'none' }),
    );
    const paths = [`/sources/${id}`, '/jobs', '/live/events', '/live?call=/jobs', '/../../metrics'];
    const stream = await open(
      foreign,
      `/live?${paths.map(path => `call=${encodeURIComponent(path)}`).join('&')}`,
    );
    const gone = await stream.next(about(`/sources/${id}`));
    expect(gone.event).toBe('refused');
    expect(JSON.parse(gone.data)).toMatchObject({ status: 404, answer: { error: { code: 'not_found' } } });
    expect((await stream.next(about('/jobs'))).event).toBe('answer');
    for (const path of paths.slice(2)) expect((await stream.next(about(path))).event).toBe('refused');
    stream.close();
  });

  test('what answers with a file is not even asked for, however its path is written', async () => {
    const newest = async () => listOf<{ id: string }>(await owner.get('/audit?limit=1')).data[0]?.id;
    const before = await newest();
    const paths = [
      '/events/export',
      '/events/%65xport',
      '/x/../events/export',
      '/audit/export',
      '/dead-letters/export',
    ];
    const stream = await open(
      owner,
      `/live?${[...paths, '/jobs'].map(path => `call=${encodeURIComponent(path)}`).join('&')}`,
    );
    for (const path of paths) {
      const { event, data } = await stream.next(about(path));
      expect({ event, ...JSON.parse(data) }).toMatchObject({
        event: 'refused',
        status: 400,
        answer: { error: { message: 'Only calls that answer with JSON can be followed.' } },
      });
    }
    expect((await stream.next(about('/jobs'))).event).toBe('answer');
    expect(await newest()).toBe(before ?? '');
    stream.close();
  });

  test('it ends with the session, with the membership, and with a move elsewhere', async () => {
    const leaves = await join(service.url, owner, 'leaves@example.com', 'viewer');
    const removed = await join(service.url, owner, 'removed@example.com', 'viewer');
    const moves = await stranger(service.url, owner, 'moves@example.com');
    const elsewhere = dataOf<{ id: string }>(await moves.post('/organisations', { name: 'Elsewhere' })).id;
    const streams = [
      await open(leaves, '/live?call=/jobs'),
      await open(removed, '/live/events'),
      await open(moves, '/live?call=/jobs'),
    ];
    for (const stream of streams) await until(() => stream.received.length > 0, 'it has not begun');
    const who = dataOf<{ user: { id: string } }>(await removed.get('/session')).user.id;
    await leaves.delete('/session');
    expect((await owner.delete(`/members/${who}`)).status).toBe(200);
    await moves.put('/session/organisation', { id: elsewhere });
    for (const stream of streams) await until(stream.hasEnded, 'it goes on');
  });

  test('a person has so many at once, and whoever hangs up makes room', async () => {
    const visitor = await stranger(service.url, owner, 'many@example.com');
    const streams = await Promise.all(Array.from({ length: 24 }, () => open(visitor, '/live?call=/jobs')));
    expect(streams.map(({ response }) => response.status)).toEqual(Array(24).fill(200));
    for (const stream of streams) await until(() => stream.received.length > 0, 'it has not begun');
    const refused = await open(visitor, '/live?call=/jobs');
    expectRefused(await toAnswer(refused.response), { status: 503, code: 'storage_unavailable' });
    expect((await open(owner, '/live?call=/jobs')).response.status).toBe(200);
    for (const stream of streams) stream.close();
    await until(async () => {
      const again = await open(visitor, '/live?call=/jobs');
      again.close();
      return again.response.status === 200;
    }, 'those who left still take up room');
  });

  test('a stop does not wait for them', async () => {
    const stopping = await startTestService();
    const stream = await openStream(stopping.url, await setUp(stopping), '/live?call=/jobs');
    await until(() => stream.received.length > 0, 'it has not begun');
    await stopping.stop();
    // One that is waited for is cut off in the end.
    await until(stream.hasEnded, 'it was not brought to an end');
  });
});
