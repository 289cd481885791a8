import { createHmac, randomUUID } from 'node:crypto';

/**
 * The yardstick of the whole way: parses, answers, signs and forwards from memory, 128 at once. It keeps nothing, and
 * what it has not sent when it stops is lost. Its one argument is the receiver's URL.
 */
const [receiver = ''] = process.argv.slice(2);
const AT_ONCE = 128;
const SECRET = 'whsec_the-relay-signs-with-this';

interface Forwarded {
  readonly id: string;
  readonly type: string;
  readonly payload: unknown;
}

/** Taken from the back once the front is empty, so that taking one costs the same however many wait. */
const queue = { front: [] as Forwarded[], back: [] as Forwarded[] };
let sending = 0;

function take(): Forwarded | undefined {
  if (queue.front.length === 0) {
    queue.front = queue.back.reverse();
    queue.back = [];
  }
  return queue.front.pop();
}

function sendWaiting(): void {
  while (sending < AT_ONCE) {
    const event = take();
    if (!event) return;
    sending++;
    void send(event).finally(() => {
      sending--;
      sendWaiting();
    });
  }
}

async function send({ id, type, payload }: Forwarded): Promise<void> {
  const body = JSON.stringify({ type, payload });
  const t = Math.floor(Date.now() / 1_000);
  const response = await fetch(receiver, {
    method: 'POST',
    body,
    headers: {
      'Content-Type': 'application/json',
      'X-Service-Event-Id': id,
      'X-Service-Delivery-Id': id,
      'X-Service-Attempt': '1',
      'X-Service-Signature': `t=${t},v1=${createHmac('sha256', SECRET).update(`${t}.${body}`).digest('hex')}`,
    },
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`The receiver answered ${response.status}.`);
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  routes: {
    '/v1/ingest': async request => {
      const { events } = (await request.json()) as { events: Omit<Forwarded, 'id'>[] };
      const accepted = events.map(({ type, payload }) => {
        const id = `evt_${randomUUID()}`;
        queue.back.push({ id, type, payload });
        return { id, duplicate: false };
      });
      sendWaiting();
      return Response.json({ data: { events: accepted } }, { status: 202 });
    },
  },
  fetch: () => new Response('not found', { status: 404 }),
});
console.log(`listening on ${server.port}`);
