import type { Phases } from '../../core/http/exchange.ts';
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
  const phases: Measured = {};
  try {
    const url = new URL(request.url);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && deps.allowHttp)) {
      return failed({ code: 'address_not_allowed', message: 'Only https:// may be connected to.' });
    }
    const found = deps.resolver.locate(url.hostname);
    const began = performance.now();
    const location = found instanceof Promise ? await beforeDeadline(found, exchange.signal) : found;
    if (found instanceof Promise) phases.dns_ms = since(began);
    if (location.kind === 'failed') return { ...location, phases };
    // Where nothing was waited for, whoever asks has just asked.
    if (found instanceof Promise) await requireWanted(request);
    return await sendToFirst(request, url, location, deps.sessions, { exchange, phases });
  } catch (error) {
    if (error instanceof NoLongerWanted) throw error;
    if (exchange.signal.aborted) return failed(timeoutFailure, phases);
    return failed(
      networkFailure(error) ?? { code: 'bad_response', message: 'The answer was not valid HTTP.' },
      phases,
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
  { exchange, phases }: { readonly exchange: AbortController; readonly phases: Measured },
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
      const began = performance.now();
      const response = await session.fetch(
        `${url.protocol}//${host}${port}${url.pathname}${url.search}`,
        init,
      );
      const answered = performance.now();
      phases.first_byte_ms = tenths(answered - began);
      if (response.status < 100) throw new Error(`There is no status ${response.status}.`);
      const { text, isCut } = await readKept(response, request.keptBytes ?? KEPT_RESPONSE_BYTES);
      phases.body_ms = since(answered);
      // The rest is still coming in: hang up.
      if (isCut) exchange.abort();
      const { status, headers } = response;
      return { kind: 'answered', status, headers, body: text, isCut, phases };
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

const failed = (
  failure: Extract<OutgoingResult, { kind: 'failed' }>['failure'],
  phases: Phases = {},
): OutgoingResult => ({ kind: 'failed', failure, phases });

type Measured = { -readonly [Phase in keyof Phases]: Phases[Phase] };

const tenths = (ms: number): number => Math.round(ms * 10) / 10;
const since = (began: number): number => tenths(performance.now() - began);
