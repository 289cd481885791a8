import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type {
  DestinationRowFigures,
  PipelineFigures,
  PipelineRowFigures,
  SourceRowFigures,
} from '@sluice/contract/dashboard-figures';
import type { DestinationFigures } from '@sluice/contract/dashboard-overview';
import { type CountedShop, countsOf, openCountedShop, overviewOf, sum } from '../support/counted-shop.ts';
import { type Browser, dataOf, readAll, stranger } from '../support/dashboard.ts';
import { expectRefused, ingestWith, post } from '../support/endpoints.ts';
import { makeInbox, makePipeline } from '../support/pipelines.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** The figures of one source, pipeline or destination, and of all in a list. */

let service: TestService;
let owner: Browser;
let other: Browser;
let made: CountedShop['made'];
beforeAll(async () => {
  ({ service, owner, other, made } = await openCountedShop());
}, 30_000);
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
      expect(of(made.pipeline)).toMatchObject({ in: 4, dropped: 1, failed: 0 });
      expect(sum(of(made.pipeline)?.line)).toBe(4);
      const { id: _id, line: _line, ...row } = of(made.pipeline) ?? { id: '', line: [] };
      const one = dataOf<PipelineFigures>(
        await owner.get(`/pipelines/${made.pipeline}/figures?minutes=${minutes}`),
      );
      expect(one).toMatchObject({ ...row, version: 1, steps: [{ in: 4, dropped: 1, failed: 0 }] });
      expect(one.steps[0]?.p95_ms).toBeGreaterThan(0);
    }
    // Another version has processed nothing yet.
    await owner.patch(`/pipelines/${made.strict}`, { name: 'Stricter' });
    const { steps, ...whole } = dataOf<PipelineFigures>(await owner.get(`/pipelines/${made.strict}/figures`));
    expect(whole).toMatchObject({ in: 1, version: 2 });
    expect(steps).toEqual([{ in: 0, dropped: 0, failed: 0, p95_ms: null }]);
  });

  test('of destinations count no further than a thousand of each, and say so', async () => {
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
    await until(
      async () => (await overviewOf(busy)).present.held.count === 1_100,
      'They are not all held.',
      30_000,
    );
    const of = await figuresOf<DestinationRowFigures>('destinations', 60, busy);
    const capped = { count: 1_000, more: true };
    expect(of(inbox)).toMatchObject({
      present: { held: capped, waiting: { count: 0, more: false } },
      open: capped,
    });
  }, 40_000);

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
