import { lookup } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { type Clock, seconds } from '../../core/clock.ts';
import type { OutgoingFailure } from '../../core/http/outgoing.ts';
import {
  type AddressPolicy,
  canonicalHost,
  isAddress,
  isLoopbackName,
  LOOPBACK_ADDRESSES,
} from './address.ts';

/** A host that has been looked up and may be connected to: at these addresses and no others. */
export interface Located {
  readonly kind: 'located';
  readonly name: string;
  /** What its certificate must be for; null where the host is itself an address. */
  readonly serverName: string | null;
  /** In the order to be tried. */
  readonly addresses: readonly [string, ...string[]];
  /** All of them are the operator's own: what goes there need not be encrypted. */
  readonly isListed: boolean;
}

export type Location = Located | { readonly kind: 'failed'; readonly failure: OutgoingFailure };

/** All addresses of a name; rejects where it has none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

export const systemLookup: Lookup = async name =>
  (await lookup(name, { all: true })).map(({ address }) => address);

export interface Resolver {
  /** Answers at once where it knows. */
  locate(host: string): Location | Promise<Location>;
}

/** Long enough to spare a busy destination a look-up per request, short enough to follow a changed record. */
const CACHED_FOR_MS = seconds(5);
const MOST_CACHED = 2_000;

/**
 * Looks a host up and checks every address of the answer. Whoever asked connects to one of these addresses, never
 * to the name, so a record that changes between the check and the connection changes nothing; and what is
 * cached is the checked answer, which cannot become another one.
 */
export function createResolver(deps: {
  readonly policy: AddressPolicy;
  readonly clock: Clock;
  readonly lookup: Lookup;
}): Resolver {
  const { policy, clock } = deps;
  const cached = new LRUCache<string, { location: Location | Promise<Location>; readonly at: number }>({
    max: MOST_CACHED,
  });

  async function find(host: string): Promise<Location> {
    const name = canonicalHost(host);
    if (name === null) return failed('dns_failed', 'The host is not a valid name.');
    if (isLoopbackName(name)) return judge(name, LOOPBACK_ADDRESSES.filter(policy.isAllowed), policy);
    if (isAddress(name)) return judge(name, [name].filter(policy.isAllowed), policy);
    const addresses = await deps.lookup(name).catch(() => []);
    if (addresses.length === 0) return failed('dns_failed', `The name ${name} could not be looked up.`);
    // One bad address spoils the answer: a name that is half private is not so by accident.
    return judge(name, addresses.every(policy.isAllowed) ? addresses : [], policy);
  }

  return {
    locate(host) {
      const now = clock.now();
      const known = cached.get(host);
      if (known && Math.abs(now - known.at) < CACHED_FOR_MS) return known.location;
      const found = find(host);
      const entry: { location: Location | Promise<Location>; readonly at: number } = {
        location: found,
        at: now,
      };
      cached.set(host, entry);
      void found.then(location => {
        entry.location = location;
        if (location.kind === 'failed') cached.delete(host);
      });
      return found;
    },
  };
}

function judge(name: string, allowed: readonly string[], policy: AddressPolicy): Location {
  // IPv4 first: where both exist, it is the one that works from every network.
  const [first, ...rest] = [...allowed].sort((a, b) => Number(isIPv4(b)) - Number(isIPv4(a)));
  if (first === undefined) {
    return failed('address_not_allowed', `${name} is, or resolves to, a private address.`);
  }
  return {
    kind: 'located',
    name,
    serverName: isAddress(name) ? null : name,
    addresses: [first, ...rest],
    isListed: allowed.every(policy.isListed),
  };
}

const failed = (code: OutgoingFailure['code'], message: string): Location => ({
  kind: 'failed',
  failure: { code, message },
});
