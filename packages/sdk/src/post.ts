import { type Batch, bodyOf } from './batch.ts';

/** One try to send a batch, and what its answer means for it. */
export type Answer =
  | { readonly kind: 'stored' }
  /** Nothing of it was stored, and one event is to blame where `index` is there. Sent again it would fail again. */
  | { readonly kind: 'refused'; readonly index: number | null; readonly failure: Failure }
  /** The key was used for something else. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'later'; readonly afterMs: number | null; readonly failure: Failure };

export interface Failure {
  readonly message: string;
  /** Absent where no answer came. */
  readonly status?: number;
  /** One of the codes in the reference of errors. */
  readonly code?: string;
}

export interface Server {
  readonly url: string;
  readonly key: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
}

/** What the request itself is to blame for. A wrong key or address can be put right meanwhile, so those wait. */
const REFUSALS = new Set([400, 413, 422]);

export async function postBatch(
  server: Server,
  batch: Batch,
  options: { keepalive: boolean },
): Promise<Answer> {
  try {
    const response = await server.fetch(`${server.url}/v1/ingest`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.key}`,
        'content-type': 'application/json',
        'x-ingest-idempotency-key': batch.key,
      },
      body: bodyOf(batch),
      signal: AbortSignal.timeout(server.timeoutMs),
      ...(options.keepalive ? { keepalive: true } : {}),
    });
    const text = await response.text();
    if (response.status === 202) return { kind: 'stored' };
    if (response.status === 409) return { kind: 'conflict' };
    const { message, code, path } = errorIn(text);
    const failure = {
      message: message ?? `The answer was ${response.status}.`,
      status: response.status,
      code,
    };
    if (!REFUSALS.has(response.status))
      return { kind: 'later', afterMs: retryAfter(response.headers.get('retry-after')), failure };
    const index = /^events\[(\d+)\]/.exec(path ?? '')?.[1];
    return { kind: 'refused', index: index === undefined ? null : Number(index), failure };
  } catch (error) {
    return {
      kind: 'later',
      afterMs: null,
      failure: { message: error instanceof Error ? error.message : String(error) },
    };
  }
}

/** The failure's envelope. A proxy in between may answer anything else. */
function errorIn(text: string): { message?: string; code?: string; path?: string } {
  try {
    const body: unknown = JSON.parse(text);
    const error = (body as { error?: Record<string, unknown> } | null)?.error ?? {};
    const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
    return { message: textOf(error.message), code: textOf(error.code), path: textOf(error.path) };
  } catch {
    return {};
  }
}

/** `Retry-After` in seconds or as a date. */
function retryAfter(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
