import type { ExchangeRecord } from '@sluice/contract/dashboard-deliveries';
import type { AttemptRecord, DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { MOST_COUNTED } from '@sluice/contract/most-counted';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { StoredAttempt, StoredDelivery } from '../../../core/stores/delivery.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import { optionalTime } from '../records.ts';

/** What is on its way, what has arrived, and what could not. */
export function deliveryCalls(
  calls: Calls,
  {
    deliveryQueue,
    clock,
    onDeliveriesDue,
  }: {
    readonly deliveryQueue: Pick<
      DeliveryQueue,
      'audited' | 'countDeliveries' | 'findDelivery' | 'listAttempts' | 'listDeliveries'
    >;
    readonly clock: Clock;
    onDeliveriesDue(): void;
  },
): void {
  async function find({ session, param }: SessionCall<'id'>): Promise<StoredDelivery> {
    const delivery = await deliveryQueue.findDelivery(session.orgId, param('id'));
    if (delivery === null) throw new Problem('not_found');
    return delivery;
  }

  const showWhole = async (delivery: StoredDelivery) =>
    showDelivery(delivery, await deliveryQueue.listAttempts(delivery.orgId, delivery.id));

  const showBriefly = async (delivery: StoredDelivery) =>
    showDelivery(delivery, await deliveryQueue.listAttempts(delivery.orgId, delivery.id), MOST_LISTED);

  calls.on('GET /deliveries', 'read', async call => {
    const { limit, cursor, after, before, ...filter } = call.query();
    const page = call.page('deliveries', { limit, cursor });
    const within = { ...filter, madeAfter: after, madeBefore: before };
    const rows = await deliveryQueue.listDeliveries(call.session.orgId, within, {
      limit: page.limit + 1,
      below: page.position,
    });
    const shown = rows.slice(0, page.limit);
    const next = rows.length > shown.length ? (shown.at(-1)?.id ?? null) : null;
    return page.answer(await Promise.all(shown.map(showBriefly)), next);
  });

  calls.on('GET /deliveries/count', 'read', async call => {
    const { after, before, ...filter } = call.query();
    const within = { ...filter, madeAfter: after, madeBefore: before };
    const count = await deliveryQueue.countDeliveries(call.session.orgId, within, MOST_COUNTED + 1);
    return call.answer({ count: Math.min(count, MOST_COUNTED), more: count > MOST_COUNTED });
  });

  calls.on('GET /deliveries/:id', 'read', async call => call.answer(await showWhole(await find(call))));

  calls.on('POST /deliveries/:id/retry', 'deliveries.change', async call => {
    const { orgId, id } = await find(call);
    const changes = deliveryQueue.audited(call.record('delivery.retried', id));
    if (!(await changes.retryDelivery(orgId, id, clock.now()))) {
      throw new Problem('conflict', {
        message: 'Only a dead delivery whose destination still exists can be retried.',
      });
    }
    onDeliveriesDue();
    return call.answer(await showWhole(await find(call)));
  });

  calls.on('POST /deliveries/:id/discard', 'deliveries.change', async call => {
    const { orgId, id } = await find(call);
    const changes = deliveryQueue.audited(call.record('delivery.discarded', id));
    if (!(await changes.discardDelivery(orgId, id, clock.now()))) {
      throw new Problem('conflict', { message: 'This delivery has already ended.' });
    }
    return call.answer(await showWhole(await find(call)));
  });
}

/** What a list shows of each body, so that no page of it grows large. */
export const MOST_LISTED = 1_024;

/** A delivery as every private call shows it; a list cuts what was sent and answered. */
export const showDelivery = (
  delivery: StoredDelivery,
  attempts: readonly StoredAttempt[],
  most = Number.POSITIVE_INFINITY,
): DeliveryRecord => ({
  id: delivery.id,
  event_id: delivery.eventId,
  event_type: delivery.eventType,
  run_id: delivery.runId,
  pipeline: delivery.pipeline,
  destination: delivery.destination,
  state: delivery.state,
  attempt: delivery.attempt,
  next_attempt_at: optionalTime(delivery.nextAttemptAt),
  code: delivery.code,
  status: delivery.status,
  created_at: toRfc3339(delivery.createdAt),
  finished_at: optionalTime(delivery.finishedAt),
  replayed_by: delivery.replayedBy,
  outage: delivery.outage && {
    down_since: toRfc3339(delivery.outage.downSince),
    last_probe_at: optionalTime(delivery.outage.probedAt),
  },
  attempts: attempts.map(attempt => showAttempt(attempt, most)),
});

function showAttempt(attempt: StoredAttempt, most: number): AttemptRecord {
  const { n, at, durationMs, status, code, message, response } = attempt;
  const request = JSON.parse(attempt.request) as AttemptRecord['request'];
  return {
    n,
    at: toRfc3339(at),
    duration_ms: durationMs,
    status,
    code,
    message,
    request: { ...request, body: cut(request.body, most) },
    response: cut(response, most),
    exchange: attempt.exchange === undefined ? null : (JSON.parse(attempt.exchange) as ExchangeRecord),
    cut: request.body.length > most || response.length > most,
  };
}

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
