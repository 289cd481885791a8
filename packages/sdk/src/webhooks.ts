import { SIGNATURE_HEADER, verifySignature } from './signature.ts';

/**
 * Receiving what a webhook destination with HMAC signing sends, in Express, Fastify, Hono, Next and whatever speaks
 * `Request` and `Response`. Each handler reads the body as it came, verifies it, and calls `receive` with the event.
 * A bad signature is answered with 401; where `receive` throws, the answer is 500 and Sluice sends it again.
 */
export interface WebhookOptions {
  /** The secret of the destination. */
  readonly secret: string;
  /** How old a request may be (300). */
  readonly toleranceSeconds?: number;
  /** How large a body may be (5 MiB). */
  readonly maxBytes?: number;
}

export interface ReceivedEvent {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The same however often it is delivered: what you have seen, you can leave aside. */
  readonly eventId: string;
  readonly deliveryId: string;
  /** 1 the first time. */
  readonly attempt: number;
}

export type Receive = (event: ReceivedEvent) => unknown;

/**
 * `app.post('/hooks', expressHandler({ secret }, receive))`; ahead of `express.json()`, which keeps no raw body. Without
 * a framework it serves as well: `createServer(expressHandler({ secret }, receive))`.
 */
export function expressHandler(options: WebhookOptions, receive: Receive) {
  requireSecret(options);
  return async (request: NodeRequest, response: NodeResponse, next?: (error: unknown) => void) => {
    try {
      const body = await readNodeBody(request, options);
      const header = (name: string) => String(request.headers[name] ?? '');
      const { status, text } = await answer(options, receive, body, header);
      response.statusCode = status;
      response.end(text);
    } catch (error) {
      if (next !== undefined) return next(error);
      console.error(error);
      response.statusCode = 500;
      response.end();
    }
  };
}

/** `app.register(fastifyHandler({ secret }, receive), { prefix: '/hooks' })`: a plugin, with a body parser of its own. */
export function fastifyHandler(options: WebhookOptions, receive: Receive) {
  requireSecret(options);
  return async (app: FastifyApp): Promise<void> => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, stream) => readBytes(stream, undefined, options));
    app.post('/', async ({ headers, body }, reply) => {
      const header = (name: string) => String(headers[name] ?? '');
      const { status, text } = await answer(options, receive, body as Uint8Array | null, header);
      return reply.code(status).send(text);
    });
  };
}

/** `app.post('/hooks', honoHandler({ secret }, receive))` */
export function honoHandler(options: WebhookOptions, receive: Receive) {
  const handle = nextHandler(options, receive);
  return (context: { readonly req: { readonly raw: Request } }): Promise<Response> => handle(context.req.raw);
}

/** `export const POST = nextHandler({ secret }, receive)` in a route of Next; `Bun.serve` and `Deno.serve` take it too. */
export function nextHandler(options: WebhookOptions, receive: Receive) {
  requireSecret(options);
  return async (request: Request): Promise<Response> => {
    const header = (name: string) => request.headers.get(name) ?? '';
    const body = await readBytes(request.body, header('content-length'), options);
    const { status, text } = await answer(options, receive, body, header);
    return new Response(text, { status });
  };
}

interface Answer {
  readonly status: number;
  readonly text?: string;
}

/** `body` is null where it was too large. */
async function answer(
  { secret, toleranceSeconds }: WebhookOptions,
  receive: Receive,
  body: Uint8Array | null,
  header: (name: string) => string,
): Promise<Answer> {
  if (body === null) return { status: 413, text: 'The body is too large.' };
  if (!verifySignature({ body, header: header(SIGNATURE_HEADER), secret, toleranceSeconds }))
    return { status: 401, text: 'The signature is missing, wrong or too old.' };
  const { type, payload } = JSON.parse(new TextDecoder().decode(body));
  await receive({
    type,
    payload,
    eventId: header('x-service-event-id'),
    deliveryId: header('x-service-delivery-id'),
    attempt: Number(header('x-service-attempt')),
  });
  return { status: 204 };
}

/** Said when the program starts, and not with a 401 for every delivery. */
function requireSecret({ secret }: WebhookOptions): void {
  if (!secret) throw new TypeError('A webhook handler needs the secret of its destination.');
}

const maxBytesOf = ({ maxBytes = 5 * 1024 * 1024 }: WebhookOptions): number => maxBytes;

/** What `express.raw()` or `express.text()` left, or else the stream itself. */
async function readNodeBody(request: NodeRequest, options: WebhookOptions): Promise<Uint8Array | null> {
  const { body } = request;
  if (body instanceof Uint8Array) return body;
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (request.readableDidRead)
    throw new Error(
      'The body was parsed before its signature was verified: move this ahead of express.json().',
    );
  return readBytes(request, request.headers['content-length'], options);
}

/** null: there are too many. */
async function readBytes(
  stream: AsyncIterable<Uint8Array> | null,
  declared: unknown,
  options: WebhookOptions,
): Promise<Uint8Array | null> {
  const most = maxBytesOf(options);
  if (Number(declared) > most) return null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream ?? []) {
    length += chunk.length;
    if (length > most) return null;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** What is needed of the frameworks' own types, none of which is imported. */
interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableDidRead?: boolean;
  readonly body?: unknown;
}

interface NodeResponse {
  statusCode: number;
  end(text?: string): unknown;
}

interface FastifyApp {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    parser: (request: unknown, stream: AsyncIterable<Uint8Array>) => Promise<unknown>,
  ): unknown;
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown;
}

interface FastifyRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

interface FastifyReply {
  code(status: number): { send(text?: string): unknown };
}
