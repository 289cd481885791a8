import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { PipelineRecord } from '@sluice/contract/dashboard-pipelines';
import type { Browser as Chromium, Page } from 'playwright-core';
import { launchChromium, leave, scrollsSideways, visit } from '../support/browser-page.ts';
import { type Browser, dataOf, listOf, setUp } from '../support/dashboard.ts';
import { acceptedIds, ingestWith, post } from '../support/endpoints.ts';
import { makePipeline, makeWebhook } from '../support/pipelines.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let chromium: Chromium;
let owner: Browser;
let shop: string;
beforeAll(async () => {
  [service, chromium] = await Promise.all([startTestService(), launchChromium()]);
  owner = await setUp(service);
  shop = (await makeWebhook(service.url, owner, 'Shop')).id;
});
afterAll(async () => {
  await chromium.close();
  await service.stop();
});

const open = (path: string) => visit(chromium, service.url, path, { as: owner });

test('what is written while a pipeline is being saved stays, and is unsaved', async () => {
  const { id } = await makePipeline(owner, { name: 'Orders', sources: [shop] });
  const { page } = await open(`/pipelines/${id}`);
  let letGo = () => {};
  const held = new Promise<void>(resolve => {
    letGo = resolve;
  });
  await page.route(`**/dashboard/api/**/pipelines/${id}`, async route => {
    if (route.request().method() === 'PATCH') await held;
    return route.continue();
  });
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('First');
  await page.getByRole('button', { name: 'Save version 2' }).click();
  await name.fill('Second');
  letGo();
  await page.getByRole('heading', { name: 'First' }).waitFor();
  expect(await name.inputValue()).toBe('Second');
  await page.getByRole('button', { name: 'Save version 3' }).click();
  await page.getByText('All changes are saved.').waitFor();
  expect(dataOf<PipelineRecord>(await owner.get(`/pipelines/${id}`)).name).toBe('Second');
  await leave(page);
});

test('what was saved stays, though the live stream still brings what was read before', async () => {
  const { id } = await makeWebhook(service.url, owner, 'Before');
  const old = (await owner.get(`/sources/${id}`)).body;
  const late = Promise.withResolvers<void>();
  let isSaved = false;
  let hasBegunAnew = false;
  const { page } = await open('/sources');
  await page.route('**/live?*', async route => {
    if (isSaved) {
      hasBegunAnew = true;
      return route.continue();
    }
    await late.promise;
    const answer = JSON.stringify({ call: `/sources/${id}`, answer: old });
    const body = `retry: 600000\n\nevent: answer\ndata: ${answer}\n\n`;
    // Nobody may wait for it any more.
    await route.fulfill({ contentType: 'text/event-stream', body }).catch(() => {});
  });
  page.on('response', response => {
    isSaved ||= response.request().method() === 'PATCH';
  });
  await page.getByRole('link', { name: 'Before' }).click();
  const name = page.getByLabel('Name');
  await name.fill('After');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'After', level: 1 }).waitFor();
  late.resolve();
  await until(() => hasBegunAnew, 'The page goes on with what was read before.');
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('After');
  // It follows what holds now.
  await owner.patch(`/sources/${id}`, { name: 'Elsewhere' });
  await page.getByRole('heading', { name: 'Elsewhere', level: 1 }).waitFor();
  await leave(page);
});

test('the buttons of a dialog stand still from its first frame on', async () => {
  const { page } = await open(`/sources/${shop}`);
  const button = page.getByRole('button', { name: 'Delete' });
  await button.waitFor();
  const places = page.evaluate(async () => {
    const places: number[] = [];
    // For as long as it fades in, and longer.
    while (places.length < 30) {
      await new Promise(requestAnimationFrame);
      const last = [...document.querySelectorAll('[role=dialog] button')].at(-1);
      if (last) places.push(last.getBoundingClientRect().top);
    }
    return places;
  });
  await button.click();
  expect(new Set(await places).size).toBe(1);
  await leave(page);
});

/** Whoever comes back to a tab has all that is on it read again: each of these is refused, and that is taken in. */
async function refuseReads(page: Page, calls: readonly string[]): Promise<void> {
  const asked = new Map<string, number>();
  await page.route('**/dashboard/api/**', route => {
    const call = new URL(route.request().url()).pathname.replace(/^\/dashboard\/api(\/o\/[^/]+)?/, '');
    asked.set(call, (asked.get(call) ?? 0) + 1);
    return route.fulfill({ status: 502, body: 'Bad gateway' });
  });
  await until(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    // Nothing is asked for again before the last refusal of it has been taken in.
    return calls.every(call => (asked.get(call) ?? 0) > 1);
  }, 'What is on the page was not read again.');
}

test('a server that is away for a while takes no page away, and no draft on it', async () => {
  const { id } = await makePipeline(owner, { name: 'Kept', sources: [shop] });
  const { page } = await open(`/pipelines/${id}`);
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('A draft');
  await refuseReads(page, ['/session', `/pipelines/${id}`, '/sources', '/destinations']);
  expect(await name.inputValue()).toBe('A draft');
  await leave(page);
});

test('nor any part of a page, nor what was typed there', async () => {
  const { page: overview } = await open('/');
  // What is further down is loaded once somebody comes to it.
  const map = overview.getByLabel('Map of sources, pipelines and destinations');
  await overview.getByRole('heading', { name: 'Map' }).scrollIntoViewIfNeeded();
  await map.waitFor();
  const types = overview.getByRole('heading', { name: 'Top event types' });
  await overview.keyboard.press('End');
  await types.waitFor();
  await refuseReads(overview, ['/overview', '/map', '/overview/top']);
  expect([await map.isVisible(), await types.isVisible()]).toEqual([true, true]);
  await leave(overview);

  const { page: alerts } = await open('/settings/alerts');
  const url = alerts.getByRole('textbox', { name: 'Incoming webhook URL' });
  await url.fill('https://hooks.example.com/typed');
  await refuseReads(alerts, ['/alerts', '/pipelines', '/destinations']);
  expect(await url.inputValue()).toBe('https://hooks.example.com/typed');
  await leave(alerts);

  const { page: health } = await open('/settings/health');
  const backlog = health.getByRole('heading', { name: 'Backlog' });
  const nodes = health.getByRole('table', { name: 'Nodes' });
  await backlog.waitFor();
  await nodes.waitFor();
  await refuseReads(health, ['/health', '/nodes']);
  expect([await backlog.isVisible(), await nodes.isVisible()]).toEqual([true, true]);
  await leave(health);

  const { page: retention } = await open('/settings/retention');
  const days = retention.getByRole('textbox', { name: 'Days' });
  await days.fill('12');
  const { id } = dataOf<{ organisation: { id: string } }>(await owner.get('/session')).organisation;
  await refuseReads(retention, [`/organisations/${id}`]);
  expect(await days.inputValue()).toBe('12');
  await leave(retention);
});

test('what was typed into a form survives a reload, secrets apart, and is asked about before it is left', async () => {
  const { page } = await open('/destinations/new?kind=webhook');
  const name = page.getByLabel('Name');
  await name.fill('Half done');
  await page.getByLabel('URL').fill('https://example.com/hook');
  await page.reload();
  await page.getByText('Your unsaved changes were restored.').waitFor();
  expect(await name.inputValue()).toBe('Half done');
  expect(await page.getByLabel('URL').inputValue()).toBe('https://example.com/hook');
  const asks = page.getByRole('dialog', { name: 'Leave without saving?' });
  await page.getByRole('link', { name: 'Cancel' }).click();
  await asks.getByRole('button', { name: 'Stay' }).click();
  expect(await name.inputValue()).toBe('Half done');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await asks.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByRole('heading', { name: 'Destinations' }).waitFor();
  await page.goto(`${service.url}/destinations/new?kind=webhook`);
  await name.waitFor();
  expect(await name.inputValue()).toBe('');

  await page.goto(`${service.url}/sources/new`);
  await page.getByText('Provider', { exact: true }).click();
  await page.getByRole('button', { name: /^GitHub/ }).click();
  await page.getByLabel('Name').fill('Our repositories');
  await page
    .getByLabel(/Secret/)
    .first()
    .fill('typed-and-never-kept');
  await page.reload();
  await page.getByText('Your unsaved changes were restored.').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Our repositories');
  expect(
    await page
      .getByLabel(/Secret/)
      .first()
      .inputValue(),
  ).toBe('');
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('typed-and-never-kept');

  await page.goto(`${service.url}/sources/${shop}`);
  await page.getByLabel('Name').fill('Shop of ours');
  await page.reload();
  await page.getByText('Your unsaved changes were restored.').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Shop of ours');
  await page.getByRole('button', { name: 'Discard' }).click();
  expect(await page.getByLabel('Name').inputValue()).toBe('Shop');
  await leave(page);
});

test('a lost connection is said in the frame, with how old the figures are, until it is back', async () => {
  const { page } = await open('/sources');
  const link = page.getByRole('link', { name: 'Shop' });
  await link.waitFor();
  const banner = page.getByText(/^Connection lost, retrying; figures from \d\d:\d\d:\d\d$/);
  expect(await banner.count()).toBe(0);
  // Nothing tells the browser: a proxy says that it is away, or nobody answers.
  await page.route('**/healthz', route => route.fulfill({ status: 502, body: 'Bad gateway' }));
  await banner.waitFor();
  await link.waitFor();
  await page.unroute('**/healthz');
  await banner.waitFor({ state: 'detached' });
  await page.context().setOffline(true);
  await banner.waitFor();
  await link.waitFor();
  await page.context().setOffline(false);
  await banner.waitFor({ state: 'detached' });
  await leave(page);
});

test('with the server away a page never opened before leaves the frame and the banner, and comes when it is back', async () => {
  const { page, faults } = await open('/sources');
  await page.getByRole('link', { name: 'Shop' }).waitFor();
  await page.evaluate(() => document.documentElement.setAttribute('data-same-document', ''));
  await page.context().setOffline(true);
  const banner = page.getByText(/^Connection lost, retrying/);
  await banner.waitFor();
  await page.getByRole('link', { name: 'Entities' }).click();
  await page.waitForURL('**/entities');
  await page.getByRole('status', { name: 'Loading' }).waitFor();
  expect(await banner.isVisible()).toBe(true);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Sources' }).waitFor();
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Entities' }).waitFor();
  await banner.waitFor({ state: 'detached' });
  expect(await page.locator('html[data-same-document]').count()).toBe(1);
  expect(faults).toEqual([]);
  await leave(page);
});

test('what is gone stays gone while it is asked for again', async () => {
  const { page } = await open('/events/evt_none');
  const heading = page.getByRole('heading', { name: 'Not found' });
  await heading.waitFor();
  let asked = 0;
  const { promise: theEnd, resolve: end } = Promise.withResolvers<void>();
  await page.route(/\/events\/evt_none$/, async route => {
    asked++;
    await theEnd;
    await route.abort();
  });
  await until(async () => {
    // Whoever comes back to a tab has it asked for again.
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    return asked > 0;
  }, 'Nobody asks again.');
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect([await heading.count(), await page.getByRole('status', { name: 'Loading' }).count()]).toEqual([
    1, 0,
  ]);
  end();
  await leave(page);
});

test('a page that comes when the server is back has its style sheets', async () => {
  const { page } = await open('/account');
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
  // Not offline, since a profile that has been here before has the files.
  const away = [/\/assets\//, /\/healthz$/];
  for (const files of away) await page.route(files, route => route.abort());
  await page.getByRole('link', { name: 'Sources' }).click();
  await page.getByText(/^Connection lost, retrying/).waitFor();
  for (const files of away) await page.unroute(files);
  const row = page.getByRole('row').filter({ hasText: 'Shop' });
  await row.waitFor();
  expect(await row.evaluate(one => getComputedStyle(one).display)).toBe('grid');
  await leave(page);
});

test('a part that cannot be loaded at first takes no page away, and comes when it can be', async () => {
  const { page, faults } = await open('/login');
  let asked = 0;
  await page.route(/\/assets\/notices-.*\.js/, route => (asked++ === 0 ? route.abort() : route.continue()));
  await page.goto(`${service.url}/settings/retention`);
  const days = page.getByRole('textbox', { name: 'Days' });
  await days.fill('12');
  await until(() => asked > 1, 'What could not be loaded was not asked for again.');
  expect(await days.inputValue()).toBe('12');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  expect(faults).toEqual([]);
  await leave(page);
});

test('the list of sources refreshes itself, and the page of one that was deleted elsewhere says that it is gone', async () => {
  const { page } = await open('/sources');
  await page.getByRole('link', { name: 'Shop' }).waitFor();
  const { id } = await makeWebhook(service.url, owner, 'Made elsewhere');
  await page.getByRole('link', { name: 'Made elsewhere' }).click();
  await page.getByRole('heading', { name: 'Made elsewhere' }).waitFor();
  await owner.delete(`/sources/${id}`);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  await leave(page);
});

test('an address with the path of another call in it leads nowhere', async () => {
  const { id } = dataOf<{ organisation: { id: string } }>(await owner.get('/session')).organisation;
  const { page } = await open(`/sources/${encodeURIComponent(`../organisations/${id}`)}`);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  await leave(page);
});

test('a name of 64 letters without a space makes no page scroll sideways, on a phone or on a tablet', async () => {
  const name = 'Internationalisierungsbeauftragtenstellvertreterkonferenzsaalnam';
  const { slug } = dataOf<{ slug: string }>(await owner.post('/organisations', { name }));
  const make = async (path: string, body: object): Promise<{ id: string; secret: string }> =>
    dataOf(await owner.post(`/o/${slug}${path}`, body));
  const { secret: key } = await make('/keys', { name });
  const source = await make('/sources', { kind: 'sdk', name, match: '*' });
  const inbox = await make('/destinations', { kind: 'inbox', name });
  const other = await make('/destinations', { kind: 'inbox', name: `${name}2` });
  const pipeline = await make('/pipelines', {
    name,
    sources: [source.id],
    destinations: [{ id: inbox.id }, { id: other.id, when: 'payload.n == 2' }],
  });
  const entity = { kind: 'k'.repeat(64), external_id: name };
  const made = await post(
    `${service.url}/v1/entities`,
    JSON.stringify({ ...entity, traits: { [name]: name } }),
    { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
  );
  expect(made.status).toBeLessThan(300);
  const accepted = await ingestWith(
    service.url,
    key,
  )({
    events: [{ type: 't'.repeat(64), entity, payload: { n: 1 } }],
  });
  const [event] = acceptedIds(accepted);
  await until(
    async () => listOf(await owner.get(`/o/${slug}/deliveries?state=delivered`)).data.length > 0,
    'It is not delivered.',
  );
  const job = await make('/replays', { filter: { type: 't'.repeat(64) } });

  const { page } = await open(`/o/${slug}/`);
  const wide: string[] = [];
  for (const path of [
    `/events/${event}`,
    `/jobs/${job.id}`,
    `/pipelines/${pipeline.id}`,
    `/destinations/${inbox.id}`,
    `/entities/${entity.kind}/${name}`,
    '/settings/keys',
    '/settings/organisations',
  ]) {
    await page.goto(`${service.url}/o/${slug}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-label="Loading"]') === null);
    for (const width of [390, 768, 800]) {
      await page.setViewportSize({ width, height: 844 });
      if (await scrollsSideways(page)) wide.push(`${path} at ${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  }
  expect(wide).toEqual([]);
  await leave(page);
});

test('a window as wide as a tablet has the side bar, and no room above the page for the header of a phone', async () => {
  const { page } = await open('/sources');
  await page.setViewportSize({ width: 768, height: 1024 });
  const title = page.getByRole('heading', { name: 'Sources' });
  await title.waitFor();
  expect((await title.boundingBox())?.y).toBeLessThan(56);
  await leave(page);
});
