import type { DestinationTestRecord } from '@sluice/contract/dashboard-deliveries';
import type { Clock } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { AttemptResult } from '../../../core/http/attempt.ts';
import type { DestinationAdmin } from '../../../core/kinds/destination-admin.ts';
import type { StoredDestination } from '../../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';

/** What people send to see whether a destination takes it. A test that arrives closes the breaker. */
export function destinationTestCalls(
  calls: Calls,
  {
    configuration,
    deliveryQueue,
    destinationAdmin,
    clock,
  }: {
    readonly configuration: Pick<
      ConfigurationStore,
      'closeBreaker' | 'findDestination' | 'hastenProbe' | 'recordAudit'
    >;
    readonly deliveryQueue: Pick<DeliveryQueue, 'readBacklogOf'>;
    readonly destinationAdmin: Pick<DestinationAdmin, 'test'>;
    readonly clock: Clock;
  },
): void {
  async function find({ session, param }: SessionCall<'id'>): Promise<StoredDestination> {
    const destination = await configuration.findDestination(session.orgId, param('id'));
    if (destination === null) throw new Problem('not_found');
    return destination;
  }

  async function test(destination: StoredDestination): Promise<DestinationTestRecord> {
    const result = await destinationAdmin.test(destination);
    const { orgId, id } = destination;
    if (result.outcome === 'delivered') await configuration.closeBreaker(orgId, id);
    return showTest(result);
  }

  /** Whether something is due that only the breaker keeps. */
  async function hasDue({ orgId, id, breaker, paused }: StoredDestination): Promise<boolean> {
    if (breaker === null || paused) return false;
    const { firstDueAt } = await deliveryQueue.readBacklogOf(orgId, id, 1);
    return firstDueAt !== null && firstDueAt <= clock.now();
  }

  calls.on('POST /destinations/:id/test', 'destinations.change', async call => {
    const destination = await find(call);
    const result = await test(destination);
    const details = { outcome: result.outcome };
    await configuration.recordAudit(call.record('destination.tested', destination.id, details));
    return call.answer(result);
  });

  calls.on('POST /destinations/:id/probe', 'destinations.change', async call => {
    const destination = await find(call);
    const { orgId, id } = destination;
    // Whoever delivers sends it; the breaker may have closed meanwhile, and then it goes out anyway.
    const isDelivery = await hasDue(destination);
    if (isDelivery) await configuration.hastenProbe(orgId, id, clock.now());
    const result = isDelivery ? null : await test(destination);
    const sent = isDelivery ? 'delivery' : 'test';
    await configuration.recordAudit(
      call.record('destination.probed', id, { sent, ...(result && { outcome: result.outcome }) }),
    );
    return call.answer({ sent, test: result });
  });
}

function showTest(result: AttemptResult): DestinationTestRecord {
  const { code, message } = result.outcome === 'failed' ? result : { code: null, message: null };
  return {
    outcome: result.outcome,
    status: result.status,
    code,
    message,
    duration_ms: Math.round(result.durationMs),
    request: {
      ...result.request,
      headers: { ...result.request.headers },
    },
    response: result.response,
    exchange: result.exchange
      ? { headers: { ...result.exchange.headers }, phases: result.exchange.phases }
      : null,
  };
}
