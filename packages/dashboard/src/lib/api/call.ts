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

async function send<R extends Route>(route: R, given: GivenTo<R>): Promise<unknown> {
  const [method = 'GET'] = route.split(' ');
  const body = 'body' in given ? given.body : undefined;
  const response = await fetch(addressOf(route, given), {
    method,
    headers: {
      ...(method === 'GET' ? {} : { 'X-Sluice-CSRF': '1' }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: stringifyExact(body, 0) }),
  }).catch(() => {
    throw new CallError(0, 'unreachable', 'The server does not answer. Is it running?', null);
  });
  // Whether there is a session is what `/session` itself asks; its answer is news to nobody.
  if (response.status === 401 && !route.endsWith(' /session')) session.dispatchEvent(new Event('refused'));
  return readAnswer(response.status, await response.text());
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
export const call = async <R extends Route>(route: R, given: GivenTo<R>): Promise<DataOf<R>> =>
  ((await send(route, given)) as { data: DataOf<R> }).data;

/** One page of a list. */
export const readPage = async <R extends ListRoute>(
  route: R,
  given: GivenTo<R>,
): Promise<ListPage<RowOf<R>>> => (await send(route, given)) as ListPage<RowOf<R>>;
