import { startTimer } from './timers.ts';

/** The Sluice that a client speaks with: one request to it, and how its failures read. */
export interface Server {
  readonly url: string;
  readonly key: string;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Failure {
  readonly message: string;
  /** Absent where no answer came. */
  readonly status?: number;
  /** One of the codes in the reference of errors, where Sluice itself answered. */
  readonly code?: string;
  /** The field at fault: `events[2].type`. */
  readonly path?: string;
}

/** The answer with its whole text, within the time that the server has. `given` up, it ends early. */
export async function request(
  { url, key, fetch, timeoutMs }: Server,
  path: string,
  init: Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> },
  given?: AbortSignal,
): Promise<{ readonly response: Response; readonly text: string }> {
  const ended = new AbortController();
  const end = () => ended.abort(given?.reason);
  const cancel = startTimer(timeoutMs, () =>
    ended.abort(new Error(`There was no answer within ${timeoutMs} ms.`)),
  );
  given?.addEventListener('abort', end);
  try {
    const response = await fetch(url + path, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${key}` },
      // The key goes to this server and to nobody it may point at.
      redirect: 'manual',
      signal: ended.signal,
    });
    return { response, text: await response.text() };
  } finally {
    cancel();
    given?.removeEventListener('abort', end);
  }
}

/** What an answer other than success says. A proxy in between may answer anything. */
export function failureOf({ status }: Response, text: string): Failure {
  const { message, code, path } = errorIn(text);
  return { status, message: message ?? `The answer was ${status}.`, code, path };
}

function errorIn(text: string): Partial<Failure> {
  try {
    const { error } = JSON.parse(text) as { error?: Record<string, unknown> };
    const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
    return { message: textOf(error?.message), code: textOf(error?.code), path: textOf(error?.path) };
  } catch {
    return {};
  }
}

/** What an error says, whatever was thrown. fetch hides why a connection failed one level down. */
export function messageOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return String(error);
    return error.cause instanceof Error && error.cause.message !== ''
      ? `${error.message}: ${error.cause.message}`
      : String(error.message);
  } catch {
    return 'The reason cannot be read.';
  }
}
