import type { Batch } from './batch.ts';
import { isPageHidden } from './ending.ts';
import { type Failure, failureOf, messageOf, request, type Server } from './server.ts';

/** One attempt to send a batch, and what its answer means for it. */
export type Answer =
  | { readonly kind: 'stored' }
  /** Nothing of it was stored; one event is to blame where `index` says so. Sent again, it would fail again. */
  | { readonly kind: 'refused'; readonly index: number | null; readonly failure: Failure }
  /** The server has something else under this key, and may have these events with it. */
  | { readonly kind: 'conflict'; readonly failure: Failure }
  | { readonly kind: 'later'; readonly afterMs: number; readonly failure: Failure };

/** What browsers let a page send on its way out. */
const MOST_KEEPALIVE_BYTES = 60_000;
/** Nobody means a longer pause, and a timer cannot hold every number. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

export async function postBatch(server: Server, batch: Batch, givenUp: AbortSignal): Promise<Answer> {
  try {
    const headers = { 'content-type': 'application/json', 'x-ingest-idempotency-key': batch.key };
    const keepalive = isPageHidden() && batch.body.length <= MOST_KEEPALIVE_BYTES;
    const init = { method: 'POST', headers, body: batch.body, ...(keepalive ? { keepalive } : {}) };
    const { response, text } = await request(server, '/v1/ingest', init, givenUp);
    return response.status === 202 ? { kind: 'stored' } : readFailure(response, text);
  } catch (error) {
    return { kind: 'later', afterMs: 0, failure: { message: messageOf(error) } };
  }
}

/**
 * Only Sluice itself can say that a batch is wrong: its 400 has a code. A wrong key, a wrong address or a proxy's own
 * page can be put right while the events wait. A 413 may be a proxy's, whose limit is as real as the server's.
 */
function readFailure(response: Response, text: string): Answer {
  const failure = failureOf(response, text);
  const { status, code, path = '' } = failure;
  if (code === 'idempotency_conflict') return { kind: 'conflict', failure };
  if (status === 413 || (status === 400 && code !== undefined)) {
    const index = /^events\[(\d+)\]/.exec(path)?.[1];
    return { kind: 'refused', index: index === undefined ? null : Number(index), failure };
  }
  return { kind: 'later', afterMs: retryAfter(response.headers.get('retry-after')), failure };
}

/** `Retry-After` in seconds or as a date; 0 where there is none. */
function retryAfter(header: string | null): number {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}
