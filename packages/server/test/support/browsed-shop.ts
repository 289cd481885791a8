import type { Browser as Chromium } from 'playwright-core';
import { launchChromium, type Visit, visit } from './browser-page.ts';
import { type Browser, dataOf, setUp } from './dashboard.ts';
import { acceptedIds, ingestWith } from './endpoints.ts';
import { makeInbox, makePipeline, makeWebhook, settled } from './pipelines.ts';
import { startTestService, type TestService } from './service.ts';

/** A shop with three events, `order.paid`, `order.refunded` and `page.viewed`, and a browser to look at them. */
export interface BrowsedShop {
  readonly service: TestService;
  readonly chromium: Chromium;
  readonly owner: Browser;
  /** Where both orders came from; a pipeline takes what comes there to an inbox. */
  readonly source: string;
  /** One more event of this type, which no pipeline takes; answers its id. */
  send(type: string): Promise<string>;
  /** A page in a profile of its own, as the owner sees it unless somebody else is named. */
  open(path: string, as?: Browser): Promise<Visit>;
  stop(): Promise<void>;
}

export async function openBrowsedShop(): Promise<BrowsedShop> {
  const [service, chromium] = await Promise.all([startTestService(), launchChromium()]);
  const owner = await setUp(service);
  const { secret } = dataOf<{ secret: string }>(await owner.post('/keys', { name: 'k' }));
  const send = async (type: string) =>
    acceptedIds(await ingestWith(service.url, secret)({ events: [{ type }] }))[0] ?? '';
  const source = await makeWebhook(service.url, owner, 'Shop');
  const inbox = await makeInbox(owner);
  await makePipeline(owner, { name: 'All', sources: [source.id], destinations: [{ id: inbox }] });
  await settled(owner, await source.send({ type: 'order.paid', note: 'a needle in hay' }));
  await settled(owner, await source.send({ type: 'order.refunded' }));
  await settled(owner, await send('page.viewed'));
  return {
    service,
    chromium,
    owner,
    source: source.id,
    send,
    open: (path, as = owner) => visit(chromium, service.url, path, { as }),
    async stop() {
      await chromium.close();
      await service.stop();
    },
  };
}
