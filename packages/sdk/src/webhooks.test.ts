import { afterAll, describe, expect, spyOn, test } from 'bun:test';
import { createServer, type RequestListener } from 'node:http';
import { Hono } from 'hono';
import { signBody } from '../../server/src/delivery/sign.ts';
import {
  expressHandler,
  fastifyHandler,
  honoHandler,
  nextHandler,
  type Receive,
  type ReceivedEvent,
  type WebhookOptions,
} from './webhooks.ts';

const secret = 'whsec_1';
const options: WebhookOptions = { secret, maxBytes: 1_000 };
const stopping: (() => unknown)[] = [];
afterAll(() => {
  for (const stop of stopping) stop();
});

async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  stopping.push(() => server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

function serve(fetch: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });
  stopping.push(() => server.stop(true));
  return server.url.href;
}

/** Calls the plugin as Fastify does: its parser reads a body, and a handler's rejection is a 500. */
async function fastifyServer(receive: Receive): Promise<string> {
  type App = Parameters<ReturnType<typeof fastifyHandler>>[0];
  let parse: Parameters<App['addContentTypeParser']>[1] | undefined;
  let handle: Parameters<App['post']>[1] | undefined;
  await fastifyHandler(
    options,
    receive,
  )({
    removeAllContentTypeParsers() {},
    addContentTypeParser(_type, parser) {
      parse = parser;
    },
    post(_path, handler) {
      handle = handler;
    },
  });
  return listen(async (request, response) => {
    const end = (status: number, text?: string) => response.writeHead(status).end(text);
    try {
      const body = await parse?.(undefined as never, request);
      const reply = { code: (status: number) => ({ send: (text?: string) => end(status, text) }) };
      await handle?.({ headers: request.headers, body }, reply);
    } catch {
      end(500);
    }
  });
}

/** Each framework's server, with the handler in it. */
const frameworks: Record<string, (receive: Receive) => string | Promise<string>> = {
  express: receive => {
    const handle = expressHandler(options, receive);
    return listen((request, response) => {
      void handle(request, response, () => response.writeHead(500).end());
    });
  },
  fastify: fastifyServer,
  hono: receive => {
    const app = new Hono();
    app.onError((_error, context) => context.body(null, 500));
    app.post('/', honoHandler(options, receive));
    return serve(request => app.fetch(request));
  },
  next: receive => {
    const POST = nextHandler(options, receive);
    return serve(request => POST(request).catch(() => new Response(null, { status: 500 })));
  },
};

const body = '{"type":"order.paid","payload":{"order":1,"name":"Zoë"}}';

function deliver(url: string, text = body, header = signBody([secret], text, Date.now())): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body: text,
    headers: {
      'content-type': 'application/json',
      'x-service-signature': header,
      'x-service-event-id': 'evt_1',
      'x-service-delivery-id': 'dlv_1',
      'x-service-attempt': '2',
    },
  });
}

for (const [name, start] of Object.entries(frameworks)) {
  describe(`a handler for ${name}`, () => {
    test('hands on what is genuine, and answers 204', async () => {
      const received: ReceivedEvent[] = [];
      const url = await start(event => received.push(event));
      expect((await deliver(url)).status).toBe(204);
      expect(received).toEqual([
        {
          type: 'order.paid',
          payload: { order: 1, name: 'Zoë' },
          eventId: 'evt_1',
          deliveryId: 'dlv_1',
          attempt: 2,
        },
      ]);
    });

    test('answers 401 to anything else, and hands nothing on', async () => {
      const received: ReceivedEvent[] = [];
      const url = await start(event => received.push(event));
      const old = signBody([secret], body, Date.now() - 301_000);
      for (const header of ['', 'nonsense', old, signBody(['another'], body, Date.now())])
        expect((await deliver(url, body, header)).status).toBe(401);
      expect((await deliver(url, `${body} `, signBody([secret], body, Date.now()))).status).toBe(401);
      expect(received).toEqual([]);
    });

    test('answers 413 to what is too large', async () => {
      const url = await start(() => {});
      expect(
        (await deliver(url, JSON.stringify({ type: 'x', payload: { text: 'x'.repeat(2_000) } }))).status,
      ).toBe(413);
    });

    test('leaves what its receiver throws to the framework, so that it is delivered again', async () => {
      const url = await start(async () => {
        throw new Error('not now');
      });
      expect((await deliver(url)).status).toBe(500);
    });
  });
}

test('a handler without a secret is refused at once', () => {
  for (const make of [expressHandler, fastifyHandler, honoHandler, nextHandler])
    expect(() => make({ secret: '' }, () => {})).toThrow('secret');
});

test('on a bare server of Node, what its receiver throws is told and answered with 500', async () => {
  const complain = spyOn(console, 'error').mockImplementation(() => {});
  const handle = expressHandler(options, () => {
    throw new Error('not now');
  });
  const url = await listen((request, response) => void handle(request, response));
  expect((await deliver(url)).status).toBe(500);
  expect(String(complain.mock.calls[0]?.[0])).toContain('not now');
  complain.mockRestore();
});

describe('in Express', () => {
  const withBody = (parsed: unknown, receive: Receive, next: (error: unknown) => void) =>
    listen(async (request, response) => {
      await Array.fromAsync(request);
      await expressHandler(options, receive)(Object.assign(request, { body: parsed }), response, error => {
        next(error);
        response.writeHead(500).end();
      });
    });

  test('a body that express.raw() or express.text() read is taken as it is', async () => {
    for (const parsed of [Buffer.from(body), body]) {
      const url = await withBody(
        parsed,
        () => {},
        () => {},
      );
      expect((await deliver(url)).status).toBe(204);
    }
  });

  test('one that express.json() has parsed already is an error that says what to do', async () => {
    let said: unknown;
    const url = await withBody(
      JSON.parse(body),
      () => {},
      error => {
        said = error;
      },
    );
    expect((await deliver(url)).status).toBe(500);
    expect(String(said)).toContain('ahead of express.json()');
  });
});
