import { createHmac } from 'node:crypto';
import type { Clock } from '../../src/core/clock.ts';
import { type Browser, dataOf, listOf, setUp } from './dashboard.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { startTestService, type TestService } from './service.ts';
import { until } from './until.ts';

/** A small shop whose events have been coming for an hour: something to see on every page of the dashboard. */
export interface SampleCompany {
  readonly service: TestService;
  readonly owner: Browser;
  /** Something of each kind, to open its page. */
  readonly ids: Readonly<
    Record<'source' | 'pipeline' | 'destination' | 'event' | 'dead' | 'job' | 'auditEntry', string>
  >;
  /** One more order arrives. */
  order(): Promise<string>;
  stop(): Promise<void>;
}

const MINUTE = 60_000;
const LOOPBACK = { SLUICE_ALLOW_ADDRESSES: '127.0.0.0/8', SLUICE_ALLOW_HTTP: 'true' };

const customers = ['Ada Park', 'Noor Haddad', 'Ines Duarte', 'Tom Becker', 'Yuki Mori', 'Lena Novak'];

export async function openSampleCompany({ minutes = 60 } = {}): Promise<SampleCompany> {
  let behind = minutes * MINUTE;
  const clock: Clock = { now: () => Date.now() - behind };
  const shop = startReceiver();
  const broken = startReceiver(() => new Response('{"error":"schema mismatch"}', { status: 422 }));
  const service = await startTestService({ clock, settings: LOOPBACK });
  const owner = await setUp(service);
  const make = async (path: string, body: object): Promise<Record<'id' | 'secret' | 'url', string>> =>
    dataOf(await owner.post(path, body));

  const { secret: key } = await make('/keys', { name: 'Shop backend' });
  const orders = await make('/sources', { kind: 'sdk', name: 'Shop orders', match: 'order.*' });
  const payments = await make('/sources', { kind: 'webhook', name: 'Payments', auth: 'hmac' });
  const support = await make('/sources', { kind: 'webhook', name: 'Support desk', auth: 'none' });
  const policy = { attempts: 2, schedule_s: [0, 0.05] };
  const inbox = await make('/destinations', { kind: 'inbox', name: 'Inbox' });
  const warehouse = await make('/destinations', {
    kind: 'webhook',
    name: 'Warehouse',
    config: { url: `${shop.url}/events`, auth: { mode: 'hmac' } },
  });
  const analytics = await make('/destinations', {
    kind: 'webhook',
    name: 'Analytics',
    config: { url: `${broken.url}/collect` },
    policy,
  });
  const fulfilment = await make('/pipelines', {
    name: 'Orders to fulfilment',
    sources: [orders.id],
    steps: [
      { kind: 'dedupe', config: {} },
      { kind: 'filter.match', config: { condition: 'payload.total > 5' } },
      { kind: 'enrich.entity', config: { into: 'customer' } },
      { kind: 'redact.pii', config: { mode: 'mask' } },
      { kind: 'transform', config: { set: { received: '$event.received_at' } } },
    ],
    destinations: [{ id: warehouse.id }, { id: inbox.id, when: 'payload.total >= 100' }],
  });
  await make('/pipelines', {
    name: 'Payments to analytics',
    sources: [payments.id],
    destinations: [{ id: analytics.id, when: 'event.type.startsWith("payment.")' }, { id: inbox.id }],
  });
  await makeCustomers(service.url, key);

  let count = 0;
  async function order(): Promise<string> {
    const n = ++count;
    const body = {
      events: [
        {
          type: n % 9 === 0 ? 'order.refunded' : 'order.paid',
          icon: '🛒',
          entity: { kind: 'customer', external_id: `c_${n % customers.length}` },
          payload: {
            id: `o_${10_000 + (n % 40 === 0 ? n - 1 : n)}`,
            total: [3.5, 18, 49.9, 120, 260][n % 5],
            currency: 'EUR',
            customer_email: `${(customers[n % customers.length] ?? '').split(' ')[0]?.toLowerCase()}@example.com`,
            note: 'Call +49 30 901820 before delivery',
            items: [{ sku: `SKU-${n % 17}`, quantity: 1 + (n % 3) }],
          },
        },
      ],
    };
    const answer = await fetch(`${service.url}/v1/ingest`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { data } = (await answer.json()) as { data: { events: { id: string }[] } };
    return data.events[0]?.id ?? '';
  }

  async function payment(n: number): Promise<void> {
    const body = JSON.stringify({
      type: n % 4 === 0 ? 'payment.failed' : 'payment.captured',
      id: `pay_${n}`,
      amount: n * 100,
    });
    const signature = createHmac('sha256', payments.secret).update(body).digest('hex');
    await fetch(payments.url, { method: 'POST', headers: { 'X-Ingest-Signature': signature }, body });
  }
  const ticket = (n: number) =>
    fetch(support.url, {
      method: 'POST',
      body: JSON.stringify({ ticket: n, subject: 'Where is my order?' }),
    });

  const isSettled = async () => {
    const waiting = ['state=accepted'].map(query => owner.get(`/events?${query}&limit=1`));
    const open = ['pending', 'delivering', 'retrying'].map(state =>
      owner.get(`/deliveries?state=${state}&limit=1`),
    );
    const lists = await Promise.all([...waiting, ...open]);
    return lists.every(answer => listOf(answer).data.length === 0);
  };

  let event = '';
  let job = '';
  // Not at the end: what it sends again would stand out there on every chart.
  const replayed = Math.floor(minutes * 0.4);
  const paymentEvery = Math.ceil(minutes / 20);
  for (let minute = 0; minute < minutes; minute++) {
    const busy = 4 + Math.round(2 * Math.sin(minute / 9) + Math.cos(minute / 2.3));
    for (let n = 0; n < busy; n++) event = await order();
    // So few that the circuit of the destination that rejects them stays closed; the last one comes at the end, so that
    // the destination is shown as failing.
    if ((minutes - 1 - minute) % paymentEvery === 0) await payment(Math.ceil((minute + 1) / paymentEvery));
    if (minute % 11 === 0) await ticket(minute);
    if (minute === replayed) job = (await make('/replays', { filter: { type: 'order.refunded' } })).id;
    await until(isSettled, 'The sample company does not come to rest.');
    behind -= MINUTE;
  }
  // A signature that does not fit, for the list of what was refused.
  await fetch(payments.url, {
    method: 'POST',
    headers: { 'X-Ingest-Signature': '0'.repeat(64) },
    body: '{}',
  });

  const firstOf = async (path: string) => listOf<{ id: string }>(await owner.get(path)).data[0]?.id ?? '';
  return {
    service,
    owner,
    order,
    ids: {
      source: payments.id,
      pipeline: fulfilment.id,
      destination: warehouse.id,
      event,
      dead: await firstOf('/deliveries?state=dead&limit=1'),
      job,
      auditEntry: await firstOf('/audit?limit=1'),
    },
    async stop() {
      await service.stop();
      await Promise.all([shop, broken].map((receiver: Receiver) => receiver.stop()));
    },
  };
}

async function makeCustomers(url: string, key: string): Promise<void> {
  const send = (method: string, path: string, body?: object) =>
    fetch(`${url}/v1/entities${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const entities = customers.map((name, n) => ({
    kind: 'customer',
    external_id: `c_${n}`,
    traits: { name, plan: n % 2 === 0 ? 'pro' : 'free', orders: n * 3 },
  }));
  await send('POST', '', {
    entities: [
      ...entities,
      { kind: 'user', external_id: 'ada@example.com', traits: { locale: 'en-GB', newsletter: true } },
      { kind: 'device', external_id: 'ios-7f3a', traits: { model: 'Phone 12' } },
      { kind: 'company', external_id: 'parkside', traits: { name: 'Parkside Ltd', seats: 12 } },
    ],
  });
  await send('PUT', '/customer/c_0/links/same_as/user/ada%40example.com');
  await send('PUT', '/user/ada%40example.com/links/uses/device/ios-7f3a');
  await send('PUT', '/customer/c_0/links/member_of/company/parkside');
  await send('PUT', '/customer/c_3/links/member_of/company/parkside');
}
