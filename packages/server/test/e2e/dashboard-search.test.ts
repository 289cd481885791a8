import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Found } from '@sluice/contract/dashboard-search';
import { type Browser, dataOf, listOf, setUp, stranger } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { entityClient } from '../support/entities.ts';
import { makeInbox, makePipeline, makeWebhook, settled } from '../support/pipelines.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let ours: Browser;
let theirs: Browser;
const our = { source: '', pipeline: '', destination: '', event: '', delivery: '', job: '' };
beforeAll(async () => {
  service = await startTestService();
  ours = await setUp(service);
  theirs = await stranger(service.url, ours, 'stranger@example.com');
  const source = await makeWebhook(service.url, ours, 'Shop orders');
  our.source = source.id;
  our.destination = await makeInbox(ours, 'Orders inbox');
  const input = {
    name: 'Clean orders',
    sources: [our.source],
    destinations: [{ id: our.destination }],
  };
  our.pipeline = (await makePipeline(ours, input)).id;
  our.event = await source.send({ type: 'order.paid' });
  await settled(ours, our.event);
  our.delivery = listOf<{ id: string }>(await ours.get('/deliveries')).data[0]?.id ?? '';
  our.job = dataOf<{ id: string }>(await ours.post(`/events/${our.event}/replay`)).id;
  const { secret } = dataOf<{ secret: string }>(await ours.post('/keys', { name: 'k' }));
  const entities = entityClient(service.url, secret);
  await entities.put('/person/ada', {});
  await entities.put('/team/ada', {});
  await entities.put('/person/b%2Fc', {});
});
afterAll(() => service.stop());

const find = async (text: string, browser = ours) =>
  dataOf<Found[]>(await browser.get(`/search?text=${encodeURIComponent(text)}`));

test('whatever has an id is found by it, with the page that shows it', async () => {
  const cases: [string, Found][] = [
    [our.event, { kind: 'event', id: our.event, label: 'order.paid', to: `/events/${our.event}` }],
    [
      our.delivery,
      {
        kind: 'delivery',
        id: our.delivery,
        label: 'order.paid to Orders inbox',
        to: `/deliveries/${our.delivery}`,
      },
    ],
    [our.job, { kind: 'job', id: our.job, label: 'replay', to: `/jobs/${our.job}` }],
    [our.source, { kind: 'source', id: our.source, label: 'Shop orders', to: `/sources/${our.source}` }],
    [
      our.pipeline,
      { kind: 'pipeline', id: our.pipeline, label: 'Clean orders', to: `/pipelines/${our.pipeline}` },
    ],
    [
      our.destination,
      {
        kind: 'destination',
        id: our.destination,
        label: 'Orders inbox',
        to: `/destinations/${our.destination}`,
      },
    ],
  ];
  for (const [text, found] of cases) {
    expect(await find(text)).toEqual([found]);
    expect(await find(`  ${text.toLowerCase()} `)).toEqual([found]);
  }
});

test('names are found by a part of them, and those that begin so come first', async () => {
  expect((await find('ORDERS')).map(({ label }) => label)).toEqual([
    'Orders inbox',
    'Shop orders',
    'Clean orders',
  ]);
  expect(await find('nobody')).toEqual([]);
  expect(await find('   ')).toEqual([]);
});

test('entities are found by what they are called, whatever their kind', async () => {
  expect(new Set((await find('ada')).map(({ id }) => id))).toEqual(new Set(['person:ada', 'team:ada']));
  expect(await find('person:ada')).toEqual([
    { kind: 'entity', id: 'person:ada', label: 'ada', to: '/entities/person/ada' },
  ]);
  expect((await find('b/c'))[0]?.to).toBe('/entities/person/b%2Fc');
});

test('entities are found by the beginning of what they are called, those that are called so first', async () => {
  const { secret } = dataOf<{ secret: string }>(await ours.post('/keys', { name: 'Prefixes' }));
  const entities = entityClient(service.url, secret);
  for (const name of ['cust_1', 'cust_12', 'cust_1_%C3%BC', 'cust_2', 'my_cust_1'])
    await entities.put(`/person/${name}`, {});
  expect((await find('cust_1')).map(({ label }) => label)).toEqual(['cust_1', 'cust_12', 'cust_1_ü']);
  expect((await find('cust')).map(({ label }) => label)).toEqual(['cust_1', 'cust_12', 'cust_1_ü', 'cust_2']);
  expect(await find('cust', theirs)).toEqual([]);
});

test('no more than twenty are answered', async () => {
  for (let n = 0; n < 25; n++) await ours.post('/sources', { kind: 'sdk', name: `Many ${n}`, match: '*' });
  expect(await find('many')).toHaveLength(20);
});

test('nothing of ours is found by others', async () => {
  for (const text of [...Object.values(our), 'orders', 'ada', 'person:ada', 'many']) {
    expect(await find(text, theirs), text).toEqual([]);
  }
});

test('a search without a text, or with too long a one, is refused', async () => {
  const refusal = { status: 400, code: 'validation_failed', path: 'text' };
  expectRefused(await ours.get('/search'), refusal);
  expectRefused(await ours.get(`/search?text=${'x'.repeat(257)}`), refusal);
});
