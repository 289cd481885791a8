import type { Settlement, SettleResult } from '../../core/stores/event-queue.ts';
import { textArray } from './arrays.ts';
import type { Session } from './sessions.ts';

/** Retries among settlements: their order, and those that are no longer needed. */

type Needless = Extract<SettleResult, { kind: 'needless' }>;

/** A retry is settled after whatever stands before it of the same event, so that it sees what came of that. */
export function inTurns(settlements: readonly Settlement[]): Settlement[][] {
  const events = new Set<string>();
  const [now, later]: [Settlement[], Settlement[]] = [[], []];
  for (const settlement of settlements) {
    const name = `${settlement.orgId}\n${settlement.eventId}`;
    if (settlement.retryOf !== undefined && events.has(name)) later.push(settlement);
    else now.push(settlement);
    events.add(name);
  }
  return later.length === 0 ? [now] : [now, ...inTurns(later)];
}

/**
 * The retries of failures that were resolved or discarded meanwhile. Failures are locked: who retries one that another
 * transaction is about to resolve waits for it.
 */
export async function findNeedless(
  session: Session,
  settlements: readonly Settlement[],
): Promise<Map<Settlement, Needless>> {
  const needless = new Map<Settlement, Needless>();
  const wanted = settlements.flatMap(({ orgId, eventId, retryOf = [] }) =>
    retryOf.map(pipelineId => ({ orgId, eventId, pipelineId })),
  );
  if (wanted.length === 0) return needless;
  const { rows } = await session.query<{ org_id: string; event_id: string; pipeline_id: string }>(
    `SELECT org_id, event_id, pipeline_id FROM runs
     WHERE (org_id, event_id, pipeline_id) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]))
       AND outcome = 'failed' AND mended = 0
     ORDER BY org_id, event_id, pipeline_id, replay_job_id FOR UPDATE`,
    [
      textArray(wanted.map(({ orgId }) => orgId)),
      textArray(wanted.map(({ eventId }) => eventId)),
      textArray(wanted.map(({ pipelineId }) => pipelineId)),
    ],
  );
  const failed = new Set(rows.map(row => `${row.org_id}\n${row.event_id}\n${row.pipeline_id}`));
  for (const settlement of settlements) {
    const { orgId, eventId, retryOf = [] } = settlement;
    const pipelineIds = retryOf.filter(id => !failed.has(`${orgId}\n${eventId}\n${id}`));
    if (pipelineIds.length > 0) needless.set(settlement, { kind: 'needless', pipelineIds });
  }
  return needless;
}
