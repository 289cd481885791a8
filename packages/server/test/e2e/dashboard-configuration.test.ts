import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type {
  AppliedConfiguration,
  ConfigurationDifference,
} from '@sluice/contract/dashboard-configuration';
import { type Browser, dataOf, join, listOf, setUp } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';

setDefaultTimeout(30_000);

let service: TestService;
let owner: Browser;

beforeAll(async () => {
  service = await startTestService();
  owner = await setUp(service);
});
afterAll(() => service.stop());

async function download(browser = owner): Promise<string> {
  return dataOf<{ document: string }>(await browser.get('/configuration/file')).document;
}

test('t', async () => {
  await owner.post('/sources', { kind: 'webhook', name: 'Shop' });
  await owner.post('/sources', { kind: 'webhook', name: 'Shop' });
  const made = dataOf<{ id: string }>(await owner.post('/destinations', { kind: 'webhook', name: 'Hook', config: { url: 'https://1.1.1.1/hook', auth: { mode: 'hmac' } } }));
  console.log(made);
  const text = await download();
  console.log(text);
  const d = dataOf<ConfigurationDifference>(await owner.post('/configuration/difference', { document: text }));
  console.dir(d, { depth: 9 });
  const d2 = dataOf<ConfigurationDifference>(await owner.post('/configuration/difference', { document: 'sluice: 1\nsources:\n  Shop: {kind: webhook, auth: none}\n  New: {kind: webhook, auth: provider, provider: github}\n  Stripe: {kind: webhook, auth: provider, provider: stripe}\ndestinations:\n  Slack:\n    kind: slack\n    config: {url: !secret}\n  H2: {kind: webhook, config: {url: "https://1.1.1.1/", auth: {mode: hmac, secret: !secret}}}\n  H3: {kind: webhook, config: {url: "https://127.0.0.1/", auth: {mode: hmac, secret: !secret}}}\npipelines:\n  P: {sources: [Shop, "Shop #2", X], destinations: [{name: Slack, when: "payload.a ++"}], steps: [{kind: filter.match, config: {condition: !secret}}]}\n' }));
  console.dir(d2, { depth: 9 });
});
