/** A webhook receiver that only counts: how many came, and when each event came. `/hang` never answers. */
const arrivals = new Map<string, number>();
let received = 0;

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  routes: {
    '/hook': request => {
      received++;
      const id = request.headers.get('x-service-event-id') ?? '';
      if (!arrivals.has(id)) arrivals.set(id, performance.timeOrigin + performance.now());
      return new Response('ok');
    },
    '/hang': () => new Promise<Response>(() => {}),
    '/received': () => Response.json({ received, events: arrivals.size }),
    '/arrivals': () => Response.json(Object.fromEntries(arrivals)),
  },
  fetch: () => new Response('not found', { status: 404 }),
});
console.log(`listening on ${server.port}`);

export {};
