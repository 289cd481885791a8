import { parseExact, stringifyExact } from './exact-json.ts';

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

export interface Page<Row> {
  readonly data: Row[];
  readonly next_cursor: string | null;
  /** Of a search by text: how far back it came. */
  readonly searched_to?: string | null;
}

/** Hears `refused` when it may be that nobody is logged in any more: a session can end while a page is open. */
export const session = new EventTarget();

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export async function send(method: Method, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`/dashboard/api${path}`, {
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
  if (response.status === 401 && path !== '/session') session.dispatchEvent(new Event('refused'));
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

/** A call that answers `{"data": …}`. */
export const call = async <T>(method: Method, path: string, body?: unknown): Promise<T> =>
  ((await send(method, path, body)) as { data: T }).data;

export const readPage = async <Row>(path: string): Promise<Page<Row>> =>
  (await send('GET', path)) as Page<Row>;

/** `/events` and `{state: 'failed', type: undefined}` make `/events?state=failed`. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
