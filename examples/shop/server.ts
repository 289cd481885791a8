import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { createClient } from '@sluice/sdk';

/** A shop: every order that comes in is answered at once, and told to Sluice. */
interface Order {
  readonly order: number;
  readonly total: number;
  readonly customer: string;
}

interface Events {
  'order.placed': { order: number; total: number };
}

const { URL: url = '', KEY: key = '', PORT: port = '3000' } = process.env;

const sluice = createClient<Events>({
  url,
  key,
  // Whatever cannot be sent is told, not lost in silence.
  onDrop: ({ type, message }) => console.error(`${type} was not sent: ${message}`),
});

const server = createServer(async (request, response) => {
  if (request.method !== 'POST' || request.url !== '/orders') {
    response.writeHead(404).end();
    return;
  }
  const { order, total, customer } = (await json(request)) as Order;
  const taken = sluice.track(
    'order.placed',
    { order, total },
    // Of one order there is one event, however often the customer presses the button.
    { id: `order-${order}`, entity: { kind: 'customer', external_id: customer } },
  );
  response.writeHead(taken ? 201 : 503, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ order }));
});

server.listen(Number(port), () => console.log(`The shop is open at http://localhost:${port}`));

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    server.close();
    const { left } = await sluice.close({ timeout: 5_000 });
    process.exit(left === 0 ? 0 : 1);
  });
}
