import type { Browser as Chromium, Page } from 'playwright-core';
import { launchChromium, visit } from './browser-page.ts';
import { type Browser, dataOf, setUp } from './dashboard.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { startTestService, type TestService } from './service.ts';

/**
 * One tab of the owner's at the pages of destinations, and a receiver for what these send. All tests of a file share it:
 * opening another takes longer than most of them.
 */
export interface DestinationsTab {
  readonly service: TestService;
  readonly chromium: Chromium;
  readonly owner: Browser;
  readonly page: Page;
  /** What went wrong in the page since somebody took it out of here. */
  readonly faults: string[];
  readonly receiver: Receiver;
  /** Paths at which the receiver is down. At `/teapot` it rejects, anywhere else it thanks. */
  readonly down: Set<string>;
  open(path: string): Promise<unknown>;
  /** Presses the button of exactly this name. */
  press(name: string): Promise<void>;
  makeDestination(body: object): Promise<string>;
  /** A source that anybody may post to, at an address where somebody listens. */
  makeSource(name: string): Promise<{ readonly id: string; readonly url: string }>;
  stop(): Promise<void>;
}

export async function openDestinationsTab(): Promise<DestinationsTab> {
  // Only the one loopback address: everything else that is private stays refused.
  const settings = {
    SLUICE_ALLOW_ADDRESSES: '127.0.0.1/32',
    SLUICE_ALLOW_HTTP: 'true',
    SLUICE_EGRESS_ADDRESSES: '198.51.100.7',
    SLUICE_BASE_URL: 'http://sluice.example.com',
  };
  const [service, chromium] = await Promise.all([startTestService({ settings }), launchChromium()]);
  const down = new Set<string>();
  const receiver = startReceiver(({ path }) =>
    path === '/teapot'
      ? Response.json({ error: 'short and stout' }, { status: 418 })
      : new Response('thanks', { status: down.has(path) ? 503 : 200 }),
  );
  const owner = await setUp(service);
  const { page, faults } = await visit(chromium, service.url, '/destinations', { as: owner });
  return {
    service,
    chromium,
    owner,
    page,
    faults,
    receiver,
    down,
    open: path => page.goto(`${service.url}${path}`),
    press: name => page.getByRole('button', { name, exact: true }).click(),
    makeDestination: async body => dataOf<{ id: string }>(await owner.post('/destinations', body)).id,
    async makeSource(name) {
      const { id, url } = dataOf<{ id: string; url: string }>(
        await owner.post('/sources', { kind: 'webhook', name, auth: 'none' }),
      );
      // The address that is shown is that of the base URL, where nobody listens.
      return { id, url: `${service.url}${new URL(url).pathname}` };
    },
    async stop() {
      await chromium.close();
      await service.stop();
      await receiver.stop();
    },
  };
}
