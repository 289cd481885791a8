import type { Batch } from './batch.ts';
import { isPage } from './ending.ts';
import { type Failure, failureOf, messageOf, request, type Server } from './server.ts';

/** One attempt to send a batch, and what its answer means for it. */
export type Answer =
  | { readonly kind: 'stored' }
  /** Nothing of it was stored; one event is to blame where `index` says so. Sent again, it would fail again. */
  | { readonly kind: 'refused'; readonly index: number | null; readonly failure: Failure }
  /** The server has something else under this key, and may have these events with it. */
  | { readonly kind: 'conflict'; readonly failure: Failure }
  | { readonly kind: 'later'; readonly afterMs: number; readonly failure: Failure };

/** How much browsers let outlive its page; they fail what goes beyond it. */
const MOST_KEEPALIVE_BYTES = 60_000;
/** Nobody means a longer pause, and a timer cannot hold every number. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

export type Post = (batch: Batch, givenUp: AbortSignal) => Promise<Answer>;

export function createPost(server: Server): Post {
  /** Under way, and not ended by the page that is left. */
  let keptBytes = 0;

  return async ({ key, body }, givenUp) => {
    const headers = { 'content-type': 'application/json', 'x-ingest-idempotency-key': key };
    const kept = isPage() && keptBytes + body.length <= MOST_KEEPALIVE_BYTES ? body.length : 0;
    const init = { method: 'POST', headers, body: body as Uint8Array<ArrayBuffer> };
    keptBytes += kept;
    try {
      const sent = request(server, '/v1/ingest', kept > 0 ? { ...init, keepalive: true } : init, givenUp);
      const { response, text } = await sent;
      return response.status === 202 ? { kind: 'stored' } : readFailure(response, text);
    } catch (error) {
      return { kind: 'later', afterMs: 0, failure: { message: messageOf(error) } };
    } finally {
      keptBytes -= kept;
    }
  };
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
