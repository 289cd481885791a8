import {
  KEPT_RESPONSE_BYTES,
  NoLongerWanted,
  type OutgoingRequest,
  type OutgoingResult,
} from '../../core/http/outgoing.ts';
import { readKept } from './body.ts';
import { beforeDeadline } from './deadline.ts';
import { networkFailure, timeoutFailure } from './failure.ts';
import type { HttpSessions } from './http-sessions.ts';
import type { Located, Resolver } from './resolve.ts';

interface HttpDeps {
  readonly resolver: Resolver;
  readonly sessions: HttpSessions;
  readonly allowHttp: boolean;
}

/**
 * One request over a connection to a checked address. The deadline runs over everything: the look-up, the
 * connection, every byte of the answer. Redirects are answers like any other.
 */
export async function sendRequest(request: OutgoingRequest, deps: HttpDeps): Promise<OutgoingResult> {
  const exchange = new AbortController();
  const timer = setTimeout(() => exchange.abort(), request.timeoutMs);
  try {
    const url = new URL(request.url);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && deps.allowHttp)) {
      return failed({ code: 'address_not_allowed', message: 'Only https:// may be connected to.' });
    }
    const found = deps.resolver.locate(url.hostname);
    const location = found instanceof Promise ? await beforeDeadline(found, exchange.signal) : found;
    if (location.kind === 'failed') return location;
    // Where nothing was waited for, whoever asks has just asked.
    if (found instanceof Promise) await requireWanted(request);
    return await sendToFirst(request, url, location, deps.sessions, exchange);
  } catch (error) {
    if (error instanceof NoLongerWanted) throw error;
    if (exchange.signal.aborted) return failed(timeoutFailure);
    return failed(
      networkFailure(error) ?? { code: 'bad_response', message: 'The answer was not valid HTTP.' },
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Tries the next address only where no connection came about, so that nothing is sent twice. */
async function sendToFirst(
  request: OutgoingRequest,
  url: URL,
  location: Located,
  sessions: HttpSessions,
  exchange: AbortController,
): Promise<OutgoingResult> {
  const { name, serverName, addresses } = location;
  const session = sessions.for(`${url.protocol}//${name}:${url.port}`, serverName);
  const init: RequestInit = {
    method: request.method ?? 'POST',
    headers: { 'user-agent': 'Sluice', 'accept-encoding': 'identity', ...request.headers, host: url.host },
    body: request.body ?? null,
    signal: exchange.signal,
  };
  for (let i = 0; ; i++) {
    const address = addresses[i] ?? addresses[0];
    const host = address.includes(':') ? `[${address}]` : address;
    const port = url.port === '' ? '' : `:${url.port}`;
    try {
      const response = await session.fetch(
        `${url.protocol}//${host}${port}${url.pathname}${url.search}`,
        init,
      );
      if (response.status < 100) throw new Error(`There is no status ${response.status}.`);
      const { text, isCut } = await readKept(response, request.keptBytes ?? KEPT_RESPONSE_BYTES);
      // The rest is still coming in: hang up.
      if (isCut) exchange.abort();
      return { kind: 'answered', status: response.status, headers: response.headers, body: text, isCut };
    } catch (error) {
      const isLast = i + 1 >= addresses.length;
      if (isLast || networkFailure(error)?.code !== 'connection_refused') throw error;
      await requireWanted(request);
    }
  }
}

async function requireWanted({ isStillWanted }: OutgoingRequest): Promise<void> {
  if (isStillWanted !== undefined && !(await isStillWanted())) throw new NoLongerWanted();
}

const failed = (failure: Extract<OutgoingResult, { kind: 'failed' }>['failure']): OutgoingResult => ({
  kind: 'failed',
  failure,
});
