import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import { LISTENER_KIND, type ListenerAccess } from '../../core/kinds/listeners.ts';
import type { ChangeListener } from '../../core/stores/change.ts';
import type { StoredDestination } from '../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../core/stores/configuration.ts';
import type { ClaimHolder, Membership } from '../../core/work/membership.ts';
import { createTokenBucket, type TokenBucket } from '../../core/work/token-bucket.ts';
import type { ListenerConnection, ListenerConnections } from './connections.ts';
import { addressOfToken, isSameToken } from './token.ts';

/**
 * Lets listeners in. A connection is a claim of this node on its destination: only the node that holds it sends there,
 * and all others show what waits as held or leave it alone. A newer connection takes the claim over, wherever it was
 * opened; the node that had the older one hears of the change and ends it.
 */
interface Listeners extends ListenerAccess, ClaimHolder {
  readonly invalidate: ChangeListener;
  /** Ends all connections, and lets nobody in any more. */
  close(): void;
}

const STOPPING = { message: 'The service is stopping.', final: false } as const;
const SET_ASIDE = {
  message: 'This node is not part of the installation for a moment.',
  final: false,
} as const;
const REFUSED = {
  message: 'Its token was rotated, the destination was deleted, or another listener has connected.',
  final: true,
} as const;

/** A command that connects again after a break needs far fewer; each that is replaced may keep its socket for a while. */
const CONNECTS_PER_SECOND = 10 / 60;
const CONNECTS_AT_ONCE = 5;
/** Of the destinations that were connected to last; any other begins with a full bucket. */
const MOST_BUCKETS = 10_000;

export function createListeners(options: {
  readonly connections: ListenerConnections;
  readonly configuration: Pick<ConfigurationStore, 'beginListening' | 'endListening' | 'findDestination'>;
  /** The tokens that open a connection to this destination now. */
  tokensOf(destination: StoredDestination): readonly string[];
  readonly newToken: Membership['newToken'];
  /** Whether this node delivers at all. */
  readonly delivers: boolean;
  readonly clock: Clock;
  onConnected(): void;
  onError(error: unknown): void;
}): Listeners {
  const { connections, configuration, clock, onError } = options;
  let isClosed = false;
  /** Those that storage knows of: of others it has nothing to say. */
  const begun = new WeakSet<ListenerConnection>();
  const buckets = new LRUCache<string, TokenBucket>({ max: MOST_BUCKETS });
  /** The last begin of each destination that is under way. */
  const begins = new Map<string, Promise<unknown>>();

  const isOpenedBy = (
    destination: StoredDestination | null,
    token: string,
  ): destination is StoredDestination =>
    destination?.kind === LISTENER_KIND && options.tokensOf(destination).some(one => isSameToken(one, token));

  async function authenticate(token: string): Promise<StoredDestination> {
    const address = addressOfToken(token);
    const found = address && (await configuration.findDestination(address.orgId, address.id));
    if (!isOpenedBy(found, token)) throw new Problem('unauthenticated');
    return found;
  }

  function requireNode(): string {
    const claim = options.delivers && !isClosed ? options.newToken() : null;
    if (claim !== null) return claim;
    const message = options.delivers
      ? 'This node cannot accept connections now; try again shortly.'
      : 'This node does not deliver. Connect to one that has the role "deliver".';
    throw new Problem('storage_unavailable', { message, retryAfter: 2 });
  }

  function requireRate(destinationId: string): void {
    const bucket =
      buckets.get(destinationId) ??
      createTokenBucket({ perSecond: CONNECTS_PER_SECOND, capacity: CONNECTS_AT_ONCE, clock });
    buckets.set(destinationId, bucket);
    const waitMs = bucket.spend();
    if (waitMs === 0) return;
    throw new Problem('rate_limited', {
      message: 'This destination was connected to too often; try again later.',
      retryAfter: Math.ceil(waitMs / 1_000),
    });
  }

  const isOpen = (connection: ListenerConnection) => connections.named(connection.id) === connection;

  /**
   * One after the other for each destination: storage may carry out what is asked of it at once in any order, and the
   * last must be the one that is open. False where the destination is gone.
   */
  async function begin(connection: ListenerConnection): Promise<boolean> {
    const { address, claim } = connection;
    const before = begins.get(address.id);
    const beginning = (async () => {
      await before?.catch(() => undefined);
      if (!isOpen(connection)) return true;
      const isThere = await configuration.beginListening(address.orgId, address.id, claim, clock.now());
      // What was said of its end may have come first, and found nothing to end.
      if (!isOpen(connection)) await configuration.endListening(address.orgId, address.id, claim);
      return isThere;
    })();
    begins.set(address.id, beginning);
    try {
      return await beginning;
    } finally {
      if (begins.get(address.id) === beginning) begins.delete(address.id);
    }
  }

  function ended({ address, claim }: ListenerConnection): void {
    configuration.endListening(address.orgId, address.id, claim).catch(onError);
  }

  /** Whether a connection may stay, as its destination is now. */
  async function recheck(connection: ListenerConnection): Promise<void> {
    const { orgId, id } = connection.address;
    const now = await configuration.findDestination(orgId, id);
    if (!isOpenedBy(now, connection.token)) return connection.end(REFUSED);
    if (now.listenerToken === connection.claim) return;
    // Nobody has taken its place: the node was thought dead, and its claims were freed.
    connection.end(now.listenerToken === null ? SET_ASIDE : REFUSED);
  }

  return {
    async connect(token, forward) {
      const { orgId, id, name } = await authenticate(token);
      requireRate(id);
      const claim = requireNode();
      const connection = connections.open({
        id: randomUUID(),
        address: { orgId, id },
        name,
        claim,
        token,
        forward,
        onEnd: ended,
      });
      // Storage hears of it after this node knows it: whoever is woken by that finds the way open.
      const isThere = await begin(connection).catch(error => {
        connection.end(SET_ASIDE);
        throw error;
      });
      if (!isThere) {
        connection.end(REFUSED);
        throw new Problem('unauthenticated');
      }
      begun.add(connection);
      options.onConnected();
      return connection.stream;
    },

    answer(token, result) {
      if (addressOfToken(token) === null) throw new Problem('unauthenticated');
      const connection = connections.named(result.connection);
      if (connection === undefined) throw new Problem('connection_not_here');
      if (!isSameToken(connection.token, token)) throw new Problem('unauthenticated');
      return connection.answer(result);
    },

    invalidate(change) {
      for (const connection of connections.all()) {
        const { orgId, id } = connection.address;
        const isNamed =
          change === null ||
          (change.organisationId === orgId &&
            (change.what === 'organisation' ||
              (change.what === 'destinations' && (change.id === undefined || change.id === id))));
        if (isNamed && begun.has(connection)) void recheck(connection).catch(onError);
      }
    },

    heldTokens: () => connections.all().map(({ claim }) => claim),
    dropClaims() {
      for (const connection of connections.all()) connection.end(SET_ASIDE);
    },
    close() {
      isClosed = true;
      for (const connection of connections.all()) connection.end(STOPPING);
    },
  };
}
