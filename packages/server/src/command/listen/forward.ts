import { type ListenDelivery, type ListenOutcome, MOST_ANSWERED } from '@sluice/contract/listen';
import { explain } from '../explain.ts';

/** A delivery on its last step: the request to the local server, and what it answered. */
export interface Forwarded {
  readonly outcome: ListenOutcome;
  readonly durationMs: number;
}

/** Of an answer so much is read: four bytes a character at most. */
const MOST_READ_BYTES = 4 * MOST_ANSWERED;
const MOST_REASON = 400;

/** Whatever goes wrong is an outcome. Redirects are not followed, as those of a webhook are not. */
export async function forward(
  delivery: Pick<ListenDelivery, 'headers' | 'body' | 'timeout_ms'>,
  to: string,
): Promise<Forwarded> {
  const began = performance.now();
  const outcome = await post(delivery, to).catch(
    (error: unknown): ListenOutcome => ({
      code: codeOf(error),
      message: `The local server did not answer: ${explain(error).slice(0, MOST_REASON)}`,
    }),
  );
  return { outcome, durationMs: Math.round(performance.now() - began) };
}

async function post(
  { headers, body, timeout_ms }: Pick<ListenDelivery, 'headers' | 'body' | 'timeout_ms'>,
  to: string,
): Promise<ListenOutcome> {
  const response = await fetch(to, {
    method: 'POST',
    headers,
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout_ms),
  });
  const retryAfter = response.headers.get('retry-after');
  return {
    status: response.status,
    body: await beginningOf(response),
    retry_after: retryAfter === null || retryAfter.length > 100 ? null : retryAfter,
  };
}

/** Storage takes neither NUL nor half a character. */
async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    // Leaving the loop lets go of the rest.
    if (size >= MOST_READ_BYTES) break;
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks)).replaceAll('\0', '\uFFFD');
  return text.slice(0, MOST_ANSWERED).toWellFormed();
}

function codeOf(error: unknown): Extract<ListenOutcome, { code: unknown }>['code'] {
  const { name = '', code = '', message = '' } = error as { name?: string; code?: string; message?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return 'timeout';
  const says = `${code} ${message}`;
  if (/refused|FailedToOpenSocket/i.test(says)) return 'connection_refused';
  if (/ENOTFOUND|EAI_|DNS/i.test(says)) return 'dns_failed';
  if (/CERT|TLS|SSL|self.signed/i.test(says)) return 'tls_invalid';
  return 'connection_reset';
}
