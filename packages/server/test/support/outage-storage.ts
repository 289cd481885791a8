import type {
  FormerPolicy,
  StoredBreaker,
  StoredDestination,
} from '../../src/core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../src/core/stores/configuration.ts';
import type { ClaimedDelivery, DeliveryQueue } from '../../src/core/stores/delivery-queue.ts';

/**
 * One destination and its deliveries in memory, for thousands of simulated outages: what delivery asks of storage, by
 * the rules that `test/contract/storage/breakers.ts` holds both engines to.
 */
export interface OutageStorage {
  readonly configuration: Pick<
    ConfigurationStore,
    'bringProbesForward' | 'closeBreaker' | 'endProbe' | 'findDestination' | 'openBreaker' | 'takeProbe'
  >;
  readonly deliveryQueue: Pick<
    DeliveryQueue,
    | 'bringForward'
    | 'cancelOrphans'
    | 'claimDeliveries'
    | 'expireDeliveries'
    | 'findClaimed'
    | 'listWaiting'
    | 'listWaitingDestinations'
    | 'recordAttempts'
    | 'releaseDeliveries'
  >;
  destination: StoredDestination;
  readonly deliveries: ModelDelivery[];
  /** How often it was asked for anything. */
  readonly calls: number;
  deliver(at: number, count: number): void;
  changePolicy(policy: Partial<StoredDestination['policy']>, at: number): void;
  pause(isPaused: boolean, at: number): void;
  hastenProbe(at: number): void;
  closeBreaker(): void;
  /** Killed, a node gets no answer any more, and what it had claimed is free. */
  node(): {
    readonly storage: Pick<OutageStorage, 'configuration' | 'deliveryQueue'>;
    newToken(): string;
    kill(): void;
  };
}

export interface ModelDelivery {
  readonly id: string;
  readonly createdAt: number;
  state: 'pending' | 'retrying' | 'delivering' | 'delivered' | 'dead';
  attempt: number;
  budgetFrom: number;
  dueAt: number;
  waitingFrom: number | null;
  token: string | null;
  code: string | null;
  endedAt: number | null;
  /** For those who check: attempts of its own budget, and when the next of them was due. */
  spent: number;
  anchor: number;
  /** Since when the breaker was open when it was claimed last. */
  claimedDownSince: number | null;
  /** Since when the destination was down that it was given up for. */
  downSince: number | null;
}

export function createOutageStorage(
  stored: StoredDestination,
  onChange: (change: { organisationId: string; what: 'destinations'; id: string }) => void,
): OutageStorage {
  const { orgId, id } = stored;
  const deliveries: ModelDelivery[] = [];
  let destination = stored;
  let calls = 0;
  let nodes = 0;
  let probeToken: string | null = null;
  const announce = () => onChange({ organisationId: orgId, what: 'destinations', id });
  const isWaiting = ({ state }: ModelDelivery) => state === 'pending' || state === 'retrying';
  const waiting = () =>
    deliveries.filter(isWaiting).sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1));
  const setBreaker = (breaker: StoredBreaker | null) => {
    destination = { ...destination, breaker };
  };

  function free(delivery: ModelDelivery): void {
    const isAttempted = delivery.attempt > delivery.budgetFrom || delivery.waitingFrom !== null;
    delivery.state = isAttempted ? 'retrying' : 'pending';
    delivery.token = null;
  }

  const configuration: OutageStorage['configuration'] = {
    findDestination: async () => destination,
    async openBreaker(_org, _id, { openedAt, nextProbeAt, failure }) {
      if (destination.breaker === null) {
        const moments = { probeUntil: null, lastProbeAt: null, probeEndedAt: null };
        setBreaker({ openedAt, nextProbeAt, ...moments, lastFailure: failure });
      }
      announce();
      return destination.breaker;
    },
    async closeBreaker() {
      if (destination.breaker === null) return false;
      setBreaker(null);
      announce();
      return true;
    },
    async takeProbe(_org, _id, { now, until, token, firstDueAt }) {
      const { breaker, paused } = destination;
      const isTaken =
        breaker !== null &&
        !paused &&
        (breaker.probeUntil === null || breaker.probeUntil <= now) &&
        (breaker.nextProbeAt <= now || (breaker.probeEndedAt ?? breaker.openedAt) < firstDueAt);
      if (isTaken) {
        setBreaker({ ...breaker, probeUntil: until });
        probeToken = token;
      }
      return { isTaken, breaker: destination.breaker };
    },
    async endProbe(_org, _id, token, end) {
      const { breaker } = destination;
      if (breaker?.probeUntil == null || probeToken !== token) return;
      setBreaker(
        end.kind === 'not_sent'
          ? { ...breaker, probeUntil: null }
          : {
              ...breaker,
              probeUntil: null,
              lastProbeAt: end.leftAt,
              probeEndedAt: end.endedAt,
              nextProbeAt: end.nextProbeAt,
            },
      );
    },
    async bringProbesForward({ now, nextProbeAt, probeUntil }) {
      const { breaker } = destination;
      if (breaker === null) return;
      setBreaker({
        ...breaker,
        nextProbeAt:
          breaker.nextProbeAt > nextProbeAt || (breaker.probeEndedAt ?? breaker.openedAt) > now
            ? now
            : breaker.nextProbeAt,
        probeUntil: (breaker.probeUntil ?? 0) > probeUntil ? null : breaker.probeUntil,
      });
    },
  };

  const deliveryQueue: OutageStorage['deliveryQueue'] = {
    async listWaitingDestinations() {
      let dueAt = Number.POSITIVE_INFINITY;
      for (const delivery of deliveries) if (isWaiting(delivery)) dueAt = Math.min(dueAt, delivery.dueAt);
      return Number.isFinite(dueAt) ? [{ orgId, destinationId: id, dueAt, isHeld: destination.paused }] : [];
    },
    async claimDeliveries(inputs, { token, now }) {
      if (destination.paused) return [];
      const claimed = waiting()
        .filter(({ dueAt }) => dueAt <= now)
        .slice(0, inputs[0]?.limit ?? 0);
      for (const delivery of claimed)
        Object.assign(delivery, {
          state: 'delivering',
          token,
          claimedDownSince: destination.breaker?.openedAt ?? null,
        });
      return claimed.map(
        ({ id: deliveryId, attempt, budgetFrom, createdAt, dueAt }): ClaimedDelivery => ({
          id: deliveryId,
          orgId,
          destinationId: id,
          event: {
            id: 'evt',
            type: 'x',
            icon: null,
            senderId: null,
            entity: null,
            happenedAt: createdAt,
            receivedAt: createdAt,
          },
          output: '{"payload":{},"labels":{}}',
          sourceName: null,
          isReplay: false,
          attempt,
          budgetFrom,
          budgetAt: createdAt,
          isRetried: false,
          dueAt,
        }),
      );
    },
    async recordAttempts(records) {
      const refused: number[] = [];
      for (const [position, { deliveryId, token, attempt, next }] of records.entries()) {
        const delivery = deliveries.find(one => one.id === deliveryId);
        if (delivery?.token !== token) {
          refused.push(position);
          continue;
        }
        const isUnspent = next.state === 'retrying' && next.isUnspent === true;
        delivery.waitingFrom = isUnspent ? (delivery.waitingFrom ?? delivery.dueAt) : null;
        delivery.attempt++;
        if (isUnspent) delivery.budgetFrom++;
        else delivery.spent++;
        if (next.state === 'retrying') {
          delivery.dueAt = next.dueAt;
          if (!isUnspent) delivery.anchor = next.dueAt;
        } else {
          delivery.endedAt = attempt.at + attempt.durationMs;
        }
        Object.assign(delivery, { state: next.state, code: attempt.code, token: null });
      }
      return refused;
    },
    async releaseDeliveries(claims) {
      const given = new Set(claims.map(({ id, token }) => `${id} ${token}`));
      for (const delivery of deliveries) if (given.has(`${delivery.id} ${delivery.token}`)) free(delivery);
    },
    async findClaimed(claims) {
      const held = new Set(deliveries.map(delivery => `${delivery.id} ${delivery.token}`));
      return claims.filter(claim => held.has(`${claim.id} ${claim.token}`)).map(claim => claim.id);
    },
    async listWaiting(_org, _id, { dueBy, after, limit }) {
      return waiting()
        .filter(
          ({ dueAt, id: one }) =>
            dueAt <= dueBy &&
            (after === null || dueAt > after.dueAt || (dueAt === after.dueAt && one > after.id)),
        )
        .slice(0, limit)
        .map(({ id: one, dueAt, waitingFrom, attempt, budgetFrom, createdAt }) => ({
          id: one,
          dueAt,
          waitingFrom: waitingFrom ?? dueAt,
          attemptsMade: attempt - budgetFrom,
          budgetAt: createdAt,
        }));
    },
    async expireDeliveries({ asOf }, ids, { downSince }, at) {
      const { breaker, paused, updatedAt } = destination;
      if (paused || breaker?.openedAt !== downSince || updatedAt !== asOf) return 0;
      const given = new Set(ids);
      const ended = deliveries.filter(delivery => given.has(delivery.id) && isWaiting(delivery));
      for (const delivery of ended) {
        Object.assign(delivery, { state: 'dead', code: 'destination_down', endedAt: at, downSince });
      }
      return ended.length;
    },
    bringForward: async () => 0,
    cancelOrphans: async () => 0,
  };

  /** Counts what is asked, and leaves it unanswered once its node is dead. */
  function through<Store extends object>(store: Store, isDead: () => boolean): Store {
    const wrapped = Object.entries(store).map(([name, method]) => [
      name,
      (...args: unknown[]) => {
        calls++;
        return isDead() ? new Promise(() => {}) : (method as (...given: unknown[]) => unknown)(...args);
      },
    ]);
    return Object.fromEntries(wrapped) as Store;
  }

  return {
    configuration,
    deliveryQueue,
    deliveries,
    get destination() {
      return destination;
    },
    set destination(next) {
      destination = next;
    },
    get calls() {
      return calls;
    },
    deliver(at, count) {
      for (let n = 0; n < count; n++) {
        deliveries.push({
          id: `dlv_${String(deliveries.length).padStart(6, '0')}`,
          createdAt: at,
          state: 'pending',
          attempt: 0,
          budgetFrom: 0,
          dueAt: at,
          waitingFrom: null,
          token: null,
          code: null,
          endedAt: null,
          spent: 0,
          anchor: at,
          claimedDownSince: null,
          downSince: null,
        });
      }
    },
    changePolicy(policy, at) {
      const { attempts, schedule_s, timeout_s } = destination.policy;
      const former: FormerPolicy = { attempts, schedule_s, timeout_s, until: at };
      const isOpen = deliveries.some(delivery => isWaiting(delivery) || delivery.state === 'delivering');
      destination = {
        ...destination,
        policy: { ...destination.policy, ...policy },
        formerPolicies: isOpen ? [...destination.formerPolicies, former] : [],
        updatedAt: at,
      };
      announce();
    },
    pause(paused, at) {
      const { breaker } = destination;
      const resumed = { openedAt: at, nextProbeAt: at, lastProbeAt: null, probeEndedAt: null };
      destination = {
        ...destination,
        paused,
        breaker: breaker !== null && !paused ? { ...breaker, ...resumed } : breaker,
        updatedAt: at,
      };
      announce();
    },
    hastenProbe(at) {
      const { breaker } = destination;
      if (breaker === null) return;
      setBreaker({ ...breaker, nextProbeAt: at });
      announce();
    },
    closeBreaker() {
      setBreaker(null);
      announce();
    },
    node() {
      let isDead = false;
      let tokens = 0;
      const prefix = `node_${nodes++} `;
      return {
        storage: {
          configuration: through(configuration, () => isDead),
          deliveryQueue: through(deliveryQueue, () => isDead),
        },
        newToken: () => prefix + tokens++,
        kill() {
          isDead = true;
          for (const delivery of deliveries) if (delivery.token?.startsWith(prefix)) free(delivery);
          const { breaker } = destination;
          if (breaker !== null && probeToken?.startsWith(prefix))
            setBreaker({ ...breaker, probeUntil: null });
        },
      };
    },
  };
}
