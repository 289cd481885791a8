import type { EventLimits } from '@sluice/contract';
import type { DestinationTestRecord } from '@sluice/contract/dashboard-deliveries';
import { destinationPreviewBody, destinationTestBody } from '@sluice/contract/dashboard-test-events';
import type { Clock } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { AttemptResult } from '../../../core/http/attempt.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { DestinationAdmin, TriedEvent } from '../../../core/kinds/destination-admin.ts';
import type { StoredDestination } from '../../../core/stores/configuration/destinations.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import type { TriedEvents } from './tried-event.ts';

/** What people send to see whether a destination takes it, and see before it is sent. A test that arrives closes the breaker. */
export function destinationTestCalls(
  calls: Calls,
  {
    configuration,
    deliveryQueue,
    destinationAdmin,
    triedEvents,
    clock,
    limits,
  }: {
    readonly configuration: Pick<
      ConfigurationStore,
      'closeBreaker' | 'findDestination' | 'hastenProbe' | 'recordAudit'
    >;
    readonly deliveryQueue: Pick<DeliveryQueue, 'hastenFirst' | 'readBacklogOf'>;
    readonly destinationAdmin: Pick<DestinationAdmin, 'preview' | 'test'>;
    readonly triedEvents: TriedEvents;
    readonly clock: Clock;
    readonly limits: EventLimits;
  },
): void {
  const [testShape, previewShape] = [destinationTestBody(limits), destinationPreviewBody(limits)];

  async function find({ session, param }: SessionCall<'id'>): Promise<StoredDestination> {
    const destination = await configuration.findDestination(session.orgId, param('id'));
    if (destination === null) throw new Problem('not_found');
    return destination;
  }

  async function test(destination: StoredDestination, tried: TriedEvent): Promise<DestinationTestRecord> {
    const result = await destinationAdmin.test(destination, tried);
    const { orgId, id } = destination;
    if (result.outcome === 'delivered') await configuration.closeBreaker(orgId, id);
    return showTest(result);
  }

  /** Makes what waits first the probe, and due now. False where nothing waits or can go: what waits is held, or a probe is under way. */
  async function probeWithWaiting({ orgId, id, breaker }: StoredDestination): Promise<boolean> {
    if (breaker === null) return false;
    const { waiting } = await deliveryQueue.readBacklogOf(orgId, id, 1);
    if (waiting === 0) return false;
    const now = clock.now();
    const isHastened = await deliveryQueue.hastenFirst(orgId, id, now);
    // What is due already lacks only the probe.
    return (await configuration.hastenProbe(orgId, id, now)) || isHastened;
  }

  calls.on('POST /destinations/:id/test', 'destinations.change', async call => {
    const destination = await find(call);
    const given = await call.body(testShape);
    const tried = await triedEvents.read(call.session, given, destination);
    const result = await test(destination, tried);
    const details = { outcome: result.outcome, type: tried.event.type, event: given.event_id };
    await configuration.recordAudit(call.record('destination.tested', destination.id, details));
    return call.answer(result);
  });

  calls.on('POST /destinations/preview', 'destinations.change', async call => {
    const { kind, config, id, ...given } = await call.body(previewShape);
    const { orgId } = call.session;
    const tried = await triedEvents.read(call.session, given, { id, name: kind });
    return call.answer(await destinationAdmin.preview({ orgId, kind, config: config as JsonObject }, tried));
  });

  calls.on('POST /destinations/:id/probe', 'destinations.change', async call => {
    const destination = await find(call);
    // Whoever delivers sends it.
    const isDelivery = await probeWithWaiting(destination);
    const result = isDelivery
      ? null
      : await test(destination, await triedEvents.read(call.session, {}, destination));
    const sent = isDelivery ? 'delivery' : 'test';
    await configuration.recordAudit(
      call.record('destination.probed', destination.id, { sent, ...(result && { outcome: result.outcome }) }),
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
