import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { Problem } from '../../core/errors.ts';
import { LISTENER_KIND, type ListenerAccess } from '../../core/kinds/listeners.ts';
import type { ChangeListener } from '../../core/stores/change.ts';
import type { StoredDestination } from '../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../core/stores/configuration.ts';
import type { ClaimHolder, Membership } from '../../core/work/membership.ts';
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
      ? 'This node cannot take connections now; try again shortly.'
      : 'This node delivers nothing: its role is another. Connect to one that has the role "deliver".';
    throw new Problem('storage_unavailable', { message, retryAfter: 2 });
  }

  function ended({ address, claim }: ListenerConnection): void {
    configuration.endListening(address.orgId, address.id, claim).catch(onError);
  }

  /** Whether a connection may stay, as its destination is now. */
  async function recheck(connection: ListenerConnection): Promise<void> {
    const { orgId, id } = connection.address;
    const now = await configuration.findDestination(orgId, id);
    if (isOpenedBy(now, connection.token) && now.listenerToken === connection.claim) return;
    connection.end(REFUSED);
  }

  return {
    async connect(token, forward) {
      const { orgId, id, name } = await authenticate(token);
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
      const isThere = await configuration.beginListening(orgId, id, claim, clock.now()).catch(error => {
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
