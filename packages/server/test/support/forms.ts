import type { AlertsRecord } from '@sluice/contract/dashboard-alerts';
import { alertCondition } from '@sluice/contract/system-events';
import type { Browser as Chromium, Page } from 'playwright-core';
import { launchChromium, visit } from './browser-page.ts';
import { type Browser, dataOf, setUp } from './dashboard.ts';
import { makePipeline, makeWebhook } from './pipelines.ts';
import { startTestService, type TestService } from './service.ts';

/** An organisation with one of everything that has a form, and the owner who opens pages of it. */
export interface Forms {
  readonly service: TestService;
  readonly chromium: Chromium;
  readonly owner: Browser;
  /** The id of a pipeline. */
  readonly pipeline: string;
  open(path: string): Promise<Page>;
  stop(): Promise<void>;
}

export async function openForms(): Promise<Forms> {
  const [service, chromium] = await Promise.all([startTestService(), launchChromium()]);
  const owner = await setUp(service);
  const { id: shop } = await makeWebhook(service.url, owner, 'Shop');
  const { id: pipeline } = await makePipeline(owner, { name: 'Orders', sources: [shop] });
  dataOf(await owner.post('/entities', { kind: 'customer', external_id: 'c_1', traits: { plan: 'pro' } }));
  const { source_id } = dataOf<AlertsRecord>(await owner.get('/alerts'));
  const told = alertCondition(['sluice.dead_letters.growing']);
  const steps = [{ kind: 'filter.match', config: { condition: told } }];
  await makePipeline(owner, { name: 'Alerts to us', sources: [source_id], steps });
  return {
    ...{ service, chromium, owner, pipeline },
    open: async path => (await visit(chromium, service.url, path, { as: owner })).page,
    async stop() {
      await chromium.close();
      await service.stop();
    },
  };
}

export const question = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' });
export const answer = (page: Page, word: 'Stay' | 'Leave') =>
  question(page).getByRole('button', { name: word, exact: true }).click();

export const kept = (page: Page) => page.evaluate(() => JSON.stringify({ ...sessionStorage }));
export const nothingKept = (page: Page) =>
  page.waitForFunction(() => !JSON.stringify({ ...sessionStorage }).includes('draft'));
