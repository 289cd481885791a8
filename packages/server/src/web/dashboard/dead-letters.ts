import { deadLetterFilter } from '@sluice/contract/dashboard-deliveries';
import { z } from 'zod';
import { toRfc3339 } from '../../core/clock.ts';
import type { StoredEvent } from '../../core/event.ts';
import type { Storage } from '../../core/ports.ts';
import type { StoredDelivery } from '../../core/ports-delivery.ts';
import { pagingQuery } from '../paging.ts';
import type { Calls } from './calls.ts';
import { MOST_LISTED, showDelivery } from './deliveries.ts';

type DeadLetterStorage = Pick<
  Storage,
  'listDeliveries' | 'listAttempts' | 'listFailedEvents' | 'findEvent' | 'listRuns'
>;
type Filter = z.output<typeof deadLetterFilter>;

const EXPORTED_AT_ONCE = 100;

/** Ids of both sorts end in the same kind of time: what stands behind the prefix orders them all. */
const placeOf = (id: string): string => id.slice(id.indexOf('_') + 1);

/** Deliveries that are dead and events that failed, newest first: what did not arrive, and why. */
export function deadLetterCalls(calls: Calls, { storage }: { readonly storage: DeadLetterStorage }): void {
  async function list(orgId: string, filter: Filter, limit: number, below: string | null) {
    const deliveries = await storage.listDeliveries(
      orgId,
      { ...filter, state: 'dead' },
      { limit: limit + 1, below: below && `dlv_${below}` },
    );
    // An event that failed in its pipeline was going to no destination, and has no failure code.
    const events =
      filter.destination || filter.code || filter.event ? [] : await listFailed(orgId, limit, below);
    const all = [...deliveries, ...events].sort((a, b) => (placeOf(a.id) < placeOf(b.id) ? 1 : -1));
    const page = all.slice(0, limit);
    const last = page.at(-1);
    const rows = await Promise.all(
      page.map(letter => ('attempt' in letter ? ofDelivery(letter) : ofEvent(orgId, letter))),
    );
    return { rows, next: all.length > page.length && last ? placeOf(last.id) : null };
  }

  async function listFailed(
    orgId: string,
    limit: number,
    below: string | null,
  ): Promise<readonly StoredEvent[]> {
    const page = { limit: limit + 1, below: below && `evt_${below}` };
    const ids = await storage.listFailedEvents(orgId, page);
    const events = await Promise.all(ids.map(id => storage.findEvent(orgId, id)));
    return events.filter(event => event !== null);
  }

  async function ofDelivery(delivery: StoredDelivery) {
    const attempts = await storage.listAttempts(delivery.orgId, delivery.id);
    return {
      kind: 'delivery' as const,
      ...showDelivery(delivery, attempts, MOST_LISTED),
      reason: attempts.at(-1)?.message ?? delivery.code,
    };
  }

  async function ofEvent(orgId: string, event: StoredEvent) {
    // Of several runs by one pipeline the latest counts.
    const latest = new Map((await storage.listRuns(orgId, event.id)).map(run => [run.pipelineId, run]));
    const failed = [...latest.values()].filter(run => run.outcome === 'failed');
    return {
      kind: 'event' as const,
      id: event.id,
      event_id: event.id,
      event_type: event.type,
      state: event.state,
      received_at: toRfc3339(event.receivedAt),
      failures: failed.map(run => ({
        pipeline: { id: run.pipelineId, name: run.pipelineName, version: run.version },
        step: run.step,
        reason: run.reason,
      })),
      reason: failed.at(-1)?.reason ?? null,
    };
  }

  const listQuery = z.strictObject({ ...deadLetterFilter.shape, ...pagingQuery });
  calls.on('GET /dead-letters', 'read', async call => {
    const { limit, cursor, ...filter } = call.query(listQuery);
    const page = call.page('dead-letters', { limit, cursor });
    const { rows, next } = await list(call.session.orgId, filter, page.limit, page.position);
    return page.answer(rows, next);
  });

  calls.on('GET /dead-letters/export', 'read', async call => {
    const filter = call.query(deadLetterFilter);
    const { orgId } = call.session;
    let below: string | null = null;
    const lines = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { rows, next } = await list(orgId, filter, EXPORTED_AT_ONCE, below);
        for (const row of rows) controller.enqueue(Buffer.from(`${JSON.stringify(row)}\n`));
        below = next;
        if (next === null) controller.close();
      },
    });
    return new Response(lines, {
      headers: {
        'Content-Type': 'application/x-ndjson',
        'Content-Disposition': 'attachment; filename="dead-letters.ndjson"',
      },
    });
  });
}
