import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type {
  DestinationRowFigures,
  PipelineFigures,
  PipelineRowFigures,
  SourceRowFigures,
} from '@sluice/contract/dashboard-figures';
import type { DestinationFigures, MapRecord } from '@sluice/contract/dashboard-overview';
import { type CountedShop, countsOf, openCountedShop, overviewOf, sum } from '../support/counted-shop.ts';
import { type Browser, dataOf, readAll, stranger } from '../support/dashboard.ts';
import { expectRefused, ingestWith, post } from '../support/endpoints.ts';
import { makeInbox, makePipeline, makeWebhook, settled } from '../support/pipelines.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const NONE = { count: 0, more: false };

/** The figures of one source, pipeline or destination, and of all in a list. */

let service: TestService;
let owner: Browser;
let other: Browser;
let made: CountedShop['made'];
beforeAll(async () => {
  ({ service, owner, other, made } = await openCountedShop());
});
afterAll(() => service.stop());

test('every part has counters of its own', async () => {
  expect(await countsOf(owner, made.hook, 'received')).toEqual([4]);
  expect(await countsOf(owner, made.sdk, 'received')).toEqual([1]);
  expect(await countsOf(owner, made.pipeline, 'routed', 'dropped', 'failed')).toEqual([3, 1, 0]);
  expect(await countsOf(owner, made.broken, 'delivered', 'failed', 'dead')).toEqual([0, 2, 1]);
  expect(await countsOf(owner, made.inbox, 'failed', 'dead')).toEqual([0, 0]);
  expect(await countsOf(owner, 'nobody', 'received')).toEqual([0]);
});

describe('the figures of a list', () => {
  const figuresOf = async <Row extends { readonly id: string }>(
    list: string,
    minutes: number,
    by = owner,
  ) => {
    const { rows } = dataOf<{ rows: Row[] }>(await by.get(`/figures/${list}?minutes=${minutes}`));
    return (id: string) => rows.find(row => row.id === id);
  };

  test.each([60, 1_440])('of destinations are those of each page and list, of %d minutes', async minutes => {
    await until(
      async () =>
        (await figuresOf<DestinationRowFigures>('destinations', minutes))(made.broken)?.last_error != null,
      'The last error is not known.',
    );
    const of = await figuresOf<DestinationRowFigures>('destinations', minutes);
    for (const id of [made.inbox, made.broken, made.paused]) {
      const { p95_ms, ...present } = dataOf<DestinationFigures>(
        await owner.get(`/destinations/${id}/figures?minutes=${minutes}`),
      );
      expect(of(id)).toMatchObject({ present, p95_ms });
      const open = await readAll(owner, `/deliveries?destination=${id}&state=open`);
      expect(of(id)?.open).toEqual({ count: open.length, more: false });
    }
    expect(of(made.paused)?.open.count).toBe(1);
    expect(of(made.inbox)).toMatchObject({ present: { delivered: 4 }, last_error: null });
    expect(of(made.inbox)?.p95_ms).toBeGreaterThan(0);
    expect(sum(of(made.inbox)?.line)).toBe(4);
    expect(of(made.broken)?.last_error?.message).toMatch(/connect/i);
  });

  test('of sources are what came through each, and how much of it was rejected', async () => {
    const { token } = dataOf<{ token: string }>(await owner.get(`/sources/${made.hook}`));
    expect((await post(`${service.url}/whk/${token}`, 'no json')).status).toBe(400);
    const rejected = async () => (await figuresOf<SourceRowFigures>('sources', 60))(made.hook)?.rejected;
    await until(async () => (await rejected()) === 1, 'What was rejected is not counted.');
    for (const minutes of [60, 1_440]) {
      const of = await figuresOf<SourceRowFigures>('sources', minutes);
      expect(of(made.hook)).toMatchObject({ received: 4, rejected: 1 });
      expect(sum(of(made.hook)?.line)).toBe(4);
      expect(of(made.sdk)).toMatchObject({ received: 1, rejected: null });
      for (const id of [made.hook, made.sdk])
        expect(await readAll(owner, `/events?source=${id}`)).toHaveLength(of(id)?.received ?? -1);
    }
  });

  test('of pipelines are what went in and what became of it, and of one at which of its steps', async () => {
    const counted = async () =>
      dataOf<PipelineFigures>(await owner.get(`/pipelines/${made.pipeline}/figures`)).steps[0]?.in === 4;
    await until(counted, 'Its steps are not counted.');
    for (const minutes of [60, 1_440]) {
      const of = await figuresOf<PipelineRowFigures>('pipelines', minutes);
      expect(of(made.pipeline)).toMatchObject({ in: 4, dropped: 1, failed: NONE });
      expect(await readAll(owner, `/events?pipeline=${made.pipeline}`)).toHaveLength(4);
      expect(sum(of(made.pipeline)?.line)).toBe(4);
      const { id: _id, line: _line, ...row } = of(made.pipeline) ?? { id: '', line: [] };
      const one = dataOf<PipelineFigures>(
        await owner.get(`/pipelines/${made.pipeline}/figures?minutes=${minutes}`),
      );
      expect(one).toMatchObject({ ...row, version: 1, steps: [{ in: 4, dropped: 1, failed: NONE }] });
      expect(one.steps[0]?.p95_ms).toBeGreaterThan(0);
    }
    // Another version has processed nothing yet.
    await owner.patch(`/pipelines/${made.strict}`, { name: 'Stricter' });
    const { steps, ...whole } = dataOf<PipelineFigures>(await owner.get(`/pipelines/${made.strict}/figures`));
    expect(whole).toMatchObject({ in: 1, version: 2 });
    const classify = { model_called: 0, cache_hit: 0, call_shared: 0 };
    expect(steps).toEqual([{ in: 0, dropped: 0, failed: NONE, p95_ms: null, classify }]);
  });

  test('of a pipeline that failed and has recovered are those of one that never did, but for what it was asked', async () => {
    const mended = await stranger(service.url, owner, 'mended@example.com');
    const hook = await makeWebhook(service.url, mended);
    const inbox = await makeInbox(mended);
    const { id } = await makePipeline(mended, {
      sources: [hook.id],
      steps: [{ kind: 'transform', config: { rename: { from: 'a.b' } } }],
      destinations: [{ id: inbox }],
    });
    const shown = async () => {
      const figures = dataOf<PipelineFigures>(await mended.get(`/pipelines/${id}/figures`));
      const row = (await figuresOf<PipelineRowFigures>('pipelines', 60, mended))(id);
      const map = dataOf<MapRecord>(await mended.get('/map'));
      const letters = await readAll(mended, `/dead-letters?kind=event&pipeline=${id}`);
      const on = map.pipelines[0];
      return {
        came: [figures.in, row?.in, on?.total],
        failed: [figures.failed, figures.steps[0]?.failed, row?.failed, on?.dead, exactly(letters.length)],
        along: map.edges.map(({ total }) => total),
      };
    };
    const exactly = (count: number) => ({ count, more: false });
    const all = (failed: number, delivered: number) => ({
      came: [3, 3, 3],
      failed: new Array(5).fill(exactly(failed)),
      along: [3, delivered],
    });
    /** What is counted comes to be known within a second. */
    const comesTo = async (wanted: ReturnType<typeof all>) => {
      let last: unknown;
      await until(async () => {
        last = await shown();
        return Bun.deepEquals(last, wanted);
      }, 'They are not all counted.').catch(() => expect(last).toEqual(wanted));
    };
    // What has a text there cannot have a field in it.
    for (const a of ['text', 'text', {}]) await settled(mended, await hook.send({ from: 1, a }));
    await comesTo(all(2, 1));
    await mended.patch(`/pipelines/${id}`, { steps: [{ kind: 'transform', config: { remove: ['a'] } }] });
    const job = dataOf<{ id: string }>(
      await mended.post('/dead-letters/retry', { filter: { kind: 'event' } }),
    );
    await until(
      async () => dataOf<{ state: string }>(await mended.get(`/jobs/${job.id}`)).state === 'done',
      'They were not retried.',
    );
    await comesTo(all(0, 3));
    expect(await readAll(mended, `/events?pipeline=${id}`)).toHaveLength(3);
  });

  test('of destinations, the map and the overview count as far, and so does the list of deliveries', async () => {
    const busy = await stranger(service.url, owner, 'busy@example.com');
    const source = dataOf<{ id: string }>(
      await busy.post('/sources', { kind: 'sdk', name: 'App', match: 'app.*' }),
    );
    const inbox = await makeInbox(busy);
    await busy.post(`/destinations/${inbox}/pause`);
    await makePipeline(busy, { sources: [source.id], destinations: [{ id: inbox }] });
    const { secret } = dataOf<{ secret: string }>(await busy.post('/keys', { name: 'k' }));
    const events = Array.from({ length: 100 }, () => ({ type: 'app.started' }));
    for (let n = 0; n < 11; n++) expect((await ingestWith(service.url, secret)({ events })).status).toBe(202);
    await until(async () => (await overviewOf(busy)).present.held.count === 1_100, 'They are not all held.');
    const of = await figuresOf<DestinationRowFigures>('destinations', 60, busy);
    const held = { count: 1_100, more: false };
    expect(of(inbox)).toMatchObject({ present: { held, waiting: NONE }, open: held });
    expect(dataOf<MapRecord>(await busy.get('/map')).destinations[0]?.waiting).toEqual(held);
    const listed = await busy.get(`/deliveries/count?state=open&destination=${inbox}`);
    expect(dataOf<typeof held>(listed)).toEqual(held);
    expect(dataOf<typeof held>(await busy.get('/deliveries/count?state=dead'))).toEqual(NONE);
  });

  test('are of nobody else, and of no other time than a list has', async () => {
    for (const list of ['destinations', 'sources', 'pipelines']) {
      const of = await figuresOf(list, 60, other);
      for (const id of Object.values(made)) expect(of(id), list).toBeUndefined();
      expectRefused(await owner.get(`/figures/${list}?minutes=61`), {
        status: 400,
        code: 'validation_failed',
        path: 'minutes',
      });
    }
    expectRefused(await other.get(`/pipelines/${made.pipeline}/figures`), { status: 404, code: 'not_found' });
  });
});
