import type { ListPage } from '@sluice/contract/private-call';
import type { DataOf, ListRoute, Route, RowOf } from '@sluice/contract/private-calls';
import { parseExact, stringifyExact } from './exact-json.ts';
import { addressOf, type GivenTo } from './path.ts';

/** The private calls of the server. Whatever goes wrong is a `CallError` with a sentence for people. */
export class CallError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** The field it is about, such as `steps[1].config.condition`. */
    readonly path: string | null,
  ) {
    super(message);
  }
}

/** Whatever was thrown, as what notices show. */
export const asCallError = (problem: unknown): CallError =>
  problem instanceof CallError ? problem : new CallError(0, 'internal', String(problem), null);

/** Receives `refused` when it may be that nobody is logged in any more: a session can end while a page is open. */
export const session = new EventTarget();

/** What goes with a call beside what its address and its body hold. */
interface CallOptions {
  /** Only where it is this version still; a 409 otherwise. */
  readonly ifMatch?: number;
}

interface Sending extends CallOptions {
  readonly body: unknown;
  readonly keepalive?: boolean;
}

const send = <R extends Route>(route: R, given: GivenTo<R>, options?: CallOptions): Promise<unknown> =>
  sendTo(route, addressOf(route, given), { body: 'body' in given ? given.body : undefined, ...options });

async function sendTo(route: Route, address: string, sending: Sending): Promise<unknown> {
  const response = await ask(route, address, sending);
  return readAnswer(response.status, await response.text());
}

async function ask(
  route: Route,
  address: string,
  { body, keepalive = false, ifMatch }: Sending,
): Promise<Response> {
  const [method = 'GET'] = route.split(' ');
  const response = await fetch(address, {
    method,
    keepalive,
    headers: {
      ...(method === 'GET' ? {} : { 'X-Sluice-CSRF': '1' }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(ifMatch === undefined ? {} : { 'If-Match': `"${ifMatch}"` }),
    },
    ...(body === undefined ? {} : { body: stringifyExact(body, 0) }),
  }).catch(() => {
    throw new CallError(0, 'unreachable', 'The server is not responding. Is it running?', null);
  });
  // Whether there is a session is what `/session` itself asks; its answer is news to nobody.
  if (response.status === 401 && !route.endsWith(' /session')) session.dispatchEvent(new Event('refused'));
  return response;
}

/** The body of an answer, or its error. */
export function readAnswer(status: number, text: string): unknown {
  const body = tryParse(text);
  if (status < 400) return body;
  const { error } = (body ?? {}) as { error?: { message?: string; code?: string; path?: string } };
  throw new CallError(
    status,
    error?.code ?? 'internal',
    error?.message ?? `The server answered ${status} without saying why.`,
    error?.path ?? null,
  );
}

function tryParse(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return null;
  }
}

/** The `data` of a call's answer. */
export const call = async <R extends Route>(
  route: R,
  given: GivenTo<R>,
  options?: CallOptions,
): Promise<DataOf<R>> => ((await send(route, given, options)) as { data: DataOf<R> }).data;

/** What a call answers with as a file, whole: a link to it could not say why there is none. */
export async function callFile<R extends Route>(route: R, given: GivenTo<R>): Promise<Blob> {
  const response = await ask(route, addressOf(route, given), { body: undefined });
  if (!response.ok) readAnswer(response.status, await response.text());
  return response.blob();
}

/** How a call that was prepared is made: with `keepalive` it outlives the page. */
interface PreparedOptions<R extends Route> {
  readonly keepalive: boolean;
  /** In place of the one that it was prepared with. */
  readonly body?: GivenTo<R> extends { readonly body: infer Body } ? Body : never;
}

/** A call that is made later, and where it is meant for now: the tab may show another organisation by then. */
export function prepareCall<R extends Route>(
  route: R,
  given: GivenTo<R>,
): (options: PreparedOptions<R>) => Promise<DataOf<R>> {
  const address = addressOf(route, given);
  const prepared = 'body' in given ? given.body : undefined;
  return async ({ keepalive, body = prepared }) =>
    ((await sendTo(route, address, { body, keepalive })) as { data: DataOf<R> }).data;
}

/** One page of a list. */
export const readPage = async <R extends ListRoute>(
  route: R,
  given: GivenTo<R>,
): Promise<ListPage<RowOf<R>>> => (await send(route, given)) as ListPage<RowOf<R>>;
