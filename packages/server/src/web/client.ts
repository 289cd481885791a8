import type { Peer } from '../runtime/http.ts';

/** Whoever sent a request, as far as we can know. */
export interface Client {
  readonly address: string;
  /** Whether the connection, or the proxy in front that we trust, speaks TLS. */
  readonly secure: boolean;
  /** How the client reaches this service: `https://sluice.example.com`. */
  readonly baseUrl: string;
}

export interface ClientSettings {
  /** Believe `X-Forwarded-For` and `X-Forwarded-Proto`. */
  readonly trustProxy: boolean;
  readonly baseUrl: string | undefined;
}

export function clientOf(request: Request, peer: Peer, settings: ClientSettings): Client {
  const forwarded = (name: string) =>
    // A proxy appends what it saw to what it was sent; only the last one is the proxy's own word.
    settings.trustProxy ? request.headers.get(name)?.split(',').at(-1)?.trim() || undefined : undefined;
  const { protocol, host } = new URL(request.url);
  const scheme = forwarded('x-forwarded-proto')?.toLowerCase() === 'https' ? 'https:' : protocol;
  const baseUrl = settings.baseUrl ?? `${scheme}//${host}`;
  return {
    address: forwarded('x-forwarded-for') ?? peer.address,
    secure: scheme === 'https:' || baseUrl.startsWith('https:'),
    baseUrl,
  };
}

/** The address that a request came to, as its sender knows it. */
export function addressOf(request: Request, settings: ClientSettings): string {
  const { pathname, search } = new URL(request.url);
  return `${clientOf(request, { address: '' }, settings).baseUrl}${pathname}${search}`;
}
