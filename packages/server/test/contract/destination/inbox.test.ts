import { expect, test } from 'bun:test';
import { inboxDestination } from '../../../src/delivery/destinations/inbox.ts';
import { prepareFrom, sampleDelivery } from '../../support/delivery.ts';

test('the inbox takes everything, shows what it got, and sends nothing on', async () => {
  const delivery = sampleDelivery();
  for (const { config } of inboxDestination.examples) {
    expect(await prepareFrom(inboxDestination, config).send(delivery)).toEqual({
      outcome: 'delivered',
      request: { target: 'Inbox', headers: {}, body: `{"type":"order.paid","payload":${delivery.payload}}` },
      status: null,
      response: null,
      durationMs: 0,
    });
  }
});
