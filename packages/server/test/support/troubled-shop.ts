import type { OverviewRecord } from '@sluice/contract/dashboard-overview';
import { type Browser, dataOf } from './dashboard.ts';
import { type MadeSource, makeInbox, makePipeline, makeRefusing, makeWebhook, settled } from './pipelines.ts';
import { until } from './until.ts';

/**
 * A shop with a pipeline to an inbox and to somebody who refuses everything, after four events: all of them processed,
 * one dropped, three delivered, one dead.
 */
export async function makeTroubledShop(url: string, owner: Browser): Promise<MadeSource> {
  const shop = await makeWebhook(url, owner, 'Shop');
  const inbox = await makeInbox(owner);
  const broken = await makeRefusing(owner);
  await makePipeline(owner, {
    name: 'Orders',
    sources: [shop.id],
    steps: [{ kind: 'filter.match', config: { condition: '!has(payload.skip)' } }],
    destinations: [{ id: inbox }, { id: broken, when: 'has(payload.broken)' }],
  });
  for (const body of [{ n: 1 }, { n: 2 }, { broken: true }, { skip: true }]) {
    await settled(owner, await shop.send(body));
  }
  await until(async () => {
    const { totals } = dataOf<OverviewRecord>(await owner.get('/overview'));
    return totals.dead === 1 && totals.delivered === 3 && totals.dropped === 1;
  }, 'Not everything was counted.');
  return shop;
}
