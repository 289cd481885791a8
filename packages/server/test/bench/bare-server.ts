/** The yardstick: the same runtime and the same answers, but it only parses. */
const accepted = { id: 'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV', duplicate: false };

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  routes: {
    '/v1/ingest': async request => {
      const { events } = (await request.json()) as { events: unknown[] };
      return Response.json({ data: { events: events.map(() => accepted) } }, { status: 202 });
    },
    '/whk/:token': async request => {
      await request.json();
      return Response.json({ data: accepted }, { status: 202 });
    },
  },
  fetch: () => new Response('not found', { status: 404 }),
});
console.log(`listening on ${server.port}`);

export {};
