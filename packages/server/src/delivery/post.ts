import { type Clock, seconds } from '../core/clock.ts';
import type { AttemptResult, RequestSummary } from '../core/http/attempt.ts';
import { type Exchange, shownHeaders } from '../core/http/exchange.ts';
import type { OutgoingFailure, OutgoingHttp, OutgoingResult } from '../core/http/outgoing.ts';
import { readRetryAfter } from '../core/http/retry-after.ts';
import { cutText } from './rendering/text.ts';

/** One POST as an attempt. Every destination that speaks HTTP sends through here. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  isStillWanted(): Promise<boolean>;
  /** Somebody looks at what comes of it, so its exchange is shown although it arrives. */
  readonly isTest?: true | undefined;
  /** What people may see of the URL and the headers, where those hold secrets. */
  readonly shownUrl?: string;
  readonly shownHeaders?: Readonly<Record<string, string>>;
  /** For vendors that say no with a 200: looks at an answer of any status first. Null: the status decides. */
  readonly judge?: (answer: HttpAnswer) => VendorRejection | 'delivered' | null;
}

export type HttpAnswer = Extract<OutgoingResult, { kind: 'answered' }>;

export interface VendorRejection extends OutgoingFailure {
  readonly retryAfterMs?: number | null;
}

const MOST_SHOWN_BODY = 16 * 1024;
/**
 * What arrives after this long keeps its exchange as a failure does: somebody will ask where the time went. What arrives
 * sooner is nearly all of it, and costs neither the headers nor a row of its own.
 */
const SLOW_MS = seconds(1);

export async function post(
  request: Post,
  deps: { readonly http: OutgoingHttp; readonly clock: Clock },
): Promise<AttemptResult> {
  const { url, headers, body, timeoutMs, isStillWanted } = request;
  const began = performance.now();
  const result = await deps.http.request({ url, headers, body, timeoutMs, isStillWanted });
  const facts = { request: summaryOf(request), durationMs: Math.round(performance.now() - began) };
  if (result.kind === 'failed') {
    const unanswered = { status: null, response: null, retryAfterMs: null };
    const exchange = exchangeOf(result);
    return { outcome: 'failed', ...result.failure, ...facts, ...unanswered, exchange };
  }
  const answered = { ...facts, status: result.status, response: result.body };
  const verdict = request.judge?.(result) ?? judgeStatus(result.status);
  if (verdict === 'delivered') {
    const delivered = { outcome: 'delivered', ...answered } as const;
    return request.isTest || facts.durationMs >= SLOW_MS
      ? { ...delivered, exchange: exchangeOf(result) }
      : delivered;
  }
  const retryAfterMs =
    verdict.retryAfterMs ?? readRetryAfter(result.headers.get('retry-after'), deps.clock.now());
  const { code, message } = verdict;
  return { outcome: 'failed', code, message, retryAfterMs, ...answered, exchange: exchangeOf(result) };
}

const exchangeOf = (result: OutgoingResult): Exchange => ({
  headers: result.kind === 'answered' ? shownHeaders(result.headers) : {},
  phases: result.phases ?? {},
});

/** What a status means where no vendor has rules of its own. */
export function judgeStatus(status: number): VendorRejection | 'delivered' {
  if (status >= 200 && status < 300) return 'delivered';
  const isRedirect = status >= 300 && status < 400;
  const message = `Responded with ${status}${isRedirect ? '; redirects are not followed' : ''}.`;
  return { code: 'bad_status', message };
}

const summaryOf = (request: Post): RequestSummary => ({
  target: `POST ${request.shownUrl ?? request.url}`,
  headers: request.shownHeaders ?? request.headers,
  body: cutText(request.body, MOST_SHOWN_BODY),
});

/** A URL of which only the host is shown: the rest of a chat's URL is its password. */
export const hiddenUrl = (url: string): string => `${new URL(url).origin}/…`;
