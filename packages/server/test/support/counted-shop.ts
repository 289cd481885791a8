import type { CountersRecord, OverviewRecord } from '@sluice/contract/dashboard-overview';
import { type Browser, dataOf, setUp, stranger } from './dashboard.ts';
import { OPEN_TO_LOOPBACK } from './delivery-process.ts';
import { ingestWith } from './endpoints.ts';
import { makeInbox, makePipeline, makeRefusing, makeWebhook, settled } from './pipelines.ts';
import { startTestService, type TestService } from './service.ts';
import { until } from './until.ts';

/** A shop whose every event is counted: of six four come to the inbox, one is dropped, and one goes nowhere. */
export interface CountedShop {
  readonly service: TestService;
  readonly owner: Browser;
  /** The owner of another organisation. */
  readonly other: Browser;
  readonly made: Readonly<
    Record<'hook' | 'sdk' | 'pipeline' | 'strict' | 'inbox' | 'broken' | 'paused', string>
  >;
}

export const sum = (line: readonly number[] | undefined): number => (line ?? []).reduce((a, b) => a + b, 0);

export const overviewOf = async (browser: Browser, minutes = 60): Promise<OverviewRecord> =>
  dataOf<OverviewRecord>(await browser.get(`/overview?minutes=${minutes}`));

export async function countsOf(browser: Browser, subject: string, ...names: string[]): Promise<number[]> {
  const query = new URLSearchParams({ subject, names: names.join(',') });
  const { series } = dataOf<CountersRecord>(await browser.get(`/counters?${query}`));
  return names.map(name => sum(series[name]));
}

export async function openCountedShop(): Promise<CountedShop> {
  const service = await startTestService({ settings: OPEN_TO_LOOPBACK });
  const owner = await setUp(service);
  const other = await stranger(service.url, owner, 'stranger@example.com');
  const hook = await makeWebhook(service.url, owner, 'Shop');
  const sdk = dataOf<{ id: string }>(
    await owner.post('/sources', { kind: 'sdk', name: 'App', match: 'app.*' }),
  ).id;
  const inbox = await makeInbox(owner);
  const paused = await makeInbox(owner, 'Later');
  await owner.post(`/destinations/${paused}/pause`);
  const broken = await makeRefusing(owner, 'Broken', { attempts: 2, schedule_s: [0, 0.01] });
  const filter = { kind: 'filter.match', config: { condition: '!has(payload.skip)' } };
  const pipeline = (
    await makePipeline(owner, {
      name: 'Orders',
      sources: [hook.id],
      steps: [filter],
      destinations: [
        { id: inbox },
        { id: broken, when: 'has(payload.broken)' },
        { id: paused, when: 'has(payload.later)' },
      ],
    })
  ).id;
  const strict = (
    await makePipeline(owner, {
      name: 'Strict',
      sources: [sdk],
      steps: [{ kind: 'transform', config: { rename: { 'a.b': 'a.b.c' } } }],
      destinations: [{ id: inbox }],
    })
  ).id;

  const ids = [];
  for (const body of [{ n: 1 }, { broken: true }, { later: true }, { skip: true }]) {
    ids.push(await hook.send(body));
  }
  const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' }));
  const events = [
    { type: 'app.started', id: 'one' },
    { type: 'app.started', id: 'one' },
    { type: 'unheard' },
  ];
  const accepted = await ingestWith(service.url, secret)({ events });
  for (const { id } of dataOf<{ events: { id: string }[] }>(accepted).events) ids.push(id);
  for (const id of ids) await settled(owner, id);
  await until(async () => (await overviewOf(owner)).totals.dead === 1, 'Nothing has died.');
  await until(async () => {
    const { delivered, processed, dropped, failed, unrouted } = (await overviewOf(owner)).totals;
    return delivered === 4 && processed + dropped + failed + unrouted === 6;
  }, 'Not everything was counted.');
  // The dead are known before they are counted.
  await until(async () => {
    const [failed, dead] = await countsOf(owner, broken, 'failed', 'dead');
    return failed === 2 && dead === 1;
  }, 'What has failed was not counted.');
  return {
    service,
    owner,
    other,
    made: { hook: hook.id, sdk, pipeline, strict, inbox, broken, paused },
  };
}
