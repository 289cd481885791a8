import type { Clock } from '../../core/clock.ts';
import type { OutgoingHttp } from '../../core/http/outgoing.ts';
import { createAddressPolicy } from './address.ts';
import { sendRequest } from './http.ts';
import { createHttpSessions, type OpenHttpSession } from './http-sessions.ts';
import { createResolver, type Location, type Lookup, systemLookup } from './resolve.ts';
import { type OpenedSocket, openSocket } from './socket.ts';
import { addressProblem, hostProblem, urlProblem } from './url.ts';

/**
 * The one way out. Every connection that Sluice makes on somebody's behalf, of whatever protocol, begins here:
 * the name is looked up, every address it has is checked, and the connection goes to a checked address.
 */
export interface GuardedClient extends OutgoingHttp {
  /** For protocols with a client of their own: they connect to these addresses, under this name. */
  locate(host: string): Location | Promise<Location>;
  /** A plain socket to the first of a host's addresses that answers. */
  openSocket(host: string, port: number, signal: AbortSignal): Promise<OpenedSocket>;
  requireUsableHost(host: string, path: string): Promise<void>;
  close(): void;
}

interface GuardedClientOptions {
  /** Networks that may be connected to although they are private. */
  readonly allowAddresses: readonly string[];
  readonly allowHttp: boolean;
  readonly openSession: OpenHttpSession;
  readonly clock: Clock;
  readonly lookup?: Lookup;
}

export function createGuardedClient(options: GuardedClientOptions): GuardedClient {
  const { allowHttp, clock, lookup = systemLookup } = options;
  const policy = createAddressPolicy(options.allowAddresses);
  const resolver = createResolver({ policy, clock, lookup });
  const sessions = createHttpSessions(options.openSession);
  const http = { resolver, sessions, allowHttp };

  /** A name that cannot be looked up today may well be there tomorrow; one that is private is refused. */
  async function requireAllowed(host: string, path: string): Promise<void> {
    const location = await resolver.locate(host);
    if (location.kind === 'failed' && location.failure.code === 'address_not_allowed')
      throw addressProblem(path);
  }

  return {
    request: request => sendRequest(request, http),
    async requireUsableUrl(url, path) {
      const problem = urlProblem(url, path, { allowHttp, policy });
      if (problem) throw problem;
      await requireAllowed(new URL(url).hostname, path);
    },
    async requireUsableHost(host, path) {
      const problem = hostProblem(host, path, policy);
      if (problem) throw problem;
      await requireAllowed(host, path);
    },
    locate: resolver.locate,
    openSocket: (host, port, signal) => openSocket(resolver, host, port, signal),
    close: sessions.close,
  };
}
