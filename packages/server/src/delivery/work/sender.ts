import { type Clock, seconds } from '../../core/clock.ts';
import type { DashboardLinks } from '../../core/dashboard-links.ts';
import type { EntityReader } from '../../core/entities/reader.ts';
import type { AttemptResult, Failed } from '../../core/http/attempt.ts';
import { NoLongerWanted } from '../../core/http/outgoing.ts';
import type { Probe, StoredDestination } from '../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../core/stores/configuration.ts';
import type { ClaimedDelivery, DeliveryQueue, EndedAttempt } from '../../core/stores/delivery-queue.ts';
import type { Random } from '../../core/work/backoff.ts';
import { type Decision, decide } from '../decide/decide.ts';
import { policyFor } from '../decide/policy.ts';
import { readOutput } from '../rendering/output.ts';
import type { Claim, ClaimCheck } from './claim.ts';
import type { DestinationQueue } from './destination-queue.ts';
import { resultOfError } from './failed-result.ts';
import type { Probes } from './probes.ts';
import { toRecord } from './record.ts';
import type { Releases } from './releases.ts';
import type { ResultLog } from './results.ts';
import type { Shares } from './shares.ts';

/**
 * Sends what waits in the queue of a destination, as many at once as it takes. Nothing goes out that is suspect: what
 * may have been changed, withdrawn or freed meanwhile is looked up first.
 */
interface Sender {
  sendFrom(queue: DestinationQueue): void;
}

/** How far a stop has come. */
export interface WorkerState {
  /** Nothing more is begun. */
  isStopping: boolean;
  /** Results that come now are too late. */
  isOver: boolean;
}

export interface SenderOptions {
  readonly configuration: Pick<ConfigurationStore, 'findDestination'>;
  readonly deliveryQueue: Pick<DeliveryQueue, 'findClaimed'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly entities: EntityReader;
  readonly links: DashboardLinks;
  /** An attempt and what became of its delivery are on disk. */
  onWritten?(delivery: ClaimedDelivery, record: EndedAttempt): void;
  onError(error: unknown): void;
}

/** How long after a fault something is tried again, and how near something due has to be for the worker to be woken. */
export const IDLE_MS = seconds(1);

export function createSender(
  options: SenderOptions,
  parts: {
    readonly state: Readonly<WorkerState>;
    readonly shares: Pick<Shares, 'atOnce'>;
    readonly releases: Releases;
    readonly results: Pick<ResultLog, 'write'>;
    readonly probes: Probes;
    wake(): void;
  },
): Sender {
  const { configuration, deliveryQueue, clock, onError } = options;
  const { state, shares, releases, results, probes, wake } = parts;

  function sendFrom(queue: DestinationQueue): void {
    const atOnce = shares.atOnce(queue);
    while (!state.isStopping) {
      const next = queue.next(atOnce);
      if (next === null) break;
      if ('claims' in next) {
        void recheck(queue, next);
        return;
      }
      const waitMs = queue.begin(next);
      if (waitMs > 0) {
        queue.resumeIn(waitMs, () => sendFrom(queue));
        return;
      }
      void attempt(queue, next).catch(onError);
    }
    if (queue.wantsMore(atOnce)) wake();
  }

  /** Takes out of the queue what is ours no more: it was discarded or erased, here or on another node. */
  async function recheck(queue: DestinationQueue, check: ClaimCheck): Promise<void> {
    const ours = await findOurs(check);
    queue.checked(check, ours);
    if (ours === null) queue.resumeIn(IDLE_MS, () => sendFrom(queue));
    else sendFrom(queue);
  }

  /** Null where nobody can say. */
  async function findOurs({ claims }: ClaimCheck): Promise<Set<string> | null> {
    try {
      const claimed = claims.map(({ delivery: { orgId, id }, token }) => ({ orgId, id, token }));
      return new Set(await deliveryQueue.findClaimed(claimed));
    } catch (error) {
      onError(error);
      return null;
    }
  }

  async function attempt(queue: DestinationQueue, claim: Claim): Promise<void> {
    const { delivery } = claim;
    try {
      const startedAt = clock.now();
      const result = await send(queue, claim).catch((error: unknown) => {
        if (error instanceof NoLongerWanted) return 'suspect';
        onError(error);
        return resultOfError(error, delivery);
      });
      if (result === 'suspect') await releases.release(claim.token, [delivery]);
      else if (!state.isOver) await settle(queue, claim, result, startedAt);
    } finally {
      queue.finish(claim);
    }
    sendFrom(queue);
  }

  async function settle(
    queue: DestinationQueue,
    claim: Claim,
    result: AttemptResult,
    startedAt: number,
  ): Promise<void> {
    const { delivery } = claim;
    const now = clock.now();
    noteAnswer(queue, claim, result);
    // The next may go out while the result of this one is being written.
    sendFrom(queue);
    let decision = decideBy(queue.stored, claim, result, now);
    // It may have been given more attempts while it was under way.
    if (decision.kind === 'dead' && (queue.isSuspect || queue.isRetired)) {
      const fresh = await findFresh(queue.stored);
      if (fresh !== null) decision = decideBy(fresh, claim, result, now);
    }
    const record = toRecord(claim, result, decision, startedAt);
    const written = await results.write(record, delivery.destinationId);
    if (written !== null) options.onWritten?.(delivery, written);
    if (claim.probe !== null && result.outcome === 'failed') {
      const notBefore = decision.kind === 'wait' ? decision.nextProbeFrom : now;
      await endProbe(queue, claim.probe, result, notBefore);
    }
    // It may be due before the loop would look again.
    if (decision.kind === 'retry' && decision.at < now + IDLE_MS) wake();
  }

  function decideBy(
    stored: StoredDestination,
    { delivery, probe }: Claim,
    result: AttemptResult,
    now: number,
  ): Decision {
    const attemptsMade = delivery.attempt - delivery.budgetFrom + 1;
    const policy = policyFor(stored, { budgetAt: delivery.budgetAt, attemptsMade });
    return decide(result, { policy, attemptsMade, now, isProbe: probe !== null }, options.random);
  }

  /** Null where it is gone, or nobody can say: what was known when it was sent holds. */
  async function findFresh({ orgId, id }: StoredDestination): Promise<StoredDestination | null> {
    try {
      return await configuration.findDestination(orgId, id);
    } catch (error) {
      onError(error);
      return null;
    }
  }

  function noteAnswer(queue: DestinationQueue, claim: Claim, result: AttemptResult): void {
    const isDelivered = result.outcome === 'delivered';
    const isTelling = isDelivered || !(result.isFinal || result.isUnspent);
    const change = queue.answered(claim, isTelling ? result.outcome : 'not_sent');
    if (change === 'opened' && !isDelivered) void probes.opened(queue, result.message);
    // A probe that arrives closes it, also where another queue has taken over since it was sent.
    if (change === 'closed' || (claim.probe !== null && isDelivered)) void probes.closed(queue).then(wake);
  }

  /** Once its delivery waits again. What failed on this side says nothing of the other. */
  async function endProbe(
    queue: DestinationQueue,
    probe: Probe,
    { isFinal, isUnspent, message }: Failed,
    notBefore: number,
  ): Promise<void> {
    await (isFinal || isUnspent
      ? probes.notSent(queue, probe)
      : probes.failed(queue, probe, message, notBefore));
    wake();
  }

  async function send(queue: DestinationQueue, claim: Claim): Promise<AttemptResult | 'suspect'> {
    const { stored, destination } = queue;
    const { delivery } = claim;
    const { payload, labels } = readOutput(delivery.output);
    const { event } = delivery;
    const traits =
      destination.readsTraits && event.entity !== null
        ? await options.entities.readTraits(delivery.orgId, event.entity)
        : null;
    const found = destination.readsLink ? options.links.to(delivery.orgId, `/events/${event.id}`) : null;
    const link = found instanceof Promise ? await found : found;
    if (!(await isStillWanted(queue, claim))) return 'suspect';
    return destination.send({
      orgId: delivery.orgId,
      id: delivery.id,
      attempt: delivery.attempt + 1,
      event,
      payload,
      labels,
      traits,
      sourceName: delivery.sourceName,
      link,
      timeoutMs: seconds(stored.policy.timeout_s),
      isStillWanted: () => isStillWanted(queue, claim),
    });
  }

  /**
   * While something was waited for it may have been paused, changed or withdrawn: whoever claims it next will know.
   * Withdrawals are mostly of others, so they are looked up: where many are withdrawn the rest would never go out.
   */
  async function isStillWanted(queue: DestinationQueue, claim: Claim): Promise<boolean> {
    const check = queue.checkOf(claim);
    if (check !== null) {
      const ours = await findOurs(check);
      queue.checked(check, ours);
      if (!ours?.has(claim.delivery.id)) return false;
    }
    return queue.mayGoOut(claim);
  }

  return { sendFrom };
}
