import { UNKNOWN_PIPELINE } from '../../core/event/outcome.ts';
import type { Settlement, SettleResult } from '../../core/stores/event-queue.ts';
import { pipelinesOfAll } from '../resolving.ts';
import { textArray } from './arrays.ts';
import type { Session } from './sessions.ts';

/** Retries among settlements: their order, and those that are no longer needed. */

type Needless = Extract<SettleResult, { kind: 'needless' }>;

/**
 * A retry is settled after whatever stands before it of the same event, so that it sees what came of that. So is what
 * shows another token for the same claim: a node that was declared dead and took it up again may hold both, and only one
 * of them is right.
 */
export function inTurns(settlements: readonly Settlement[]): Settlement[][] {
  const events = new Set<string>();
  const claims = new Set<string>();
  const [now, later]: [Settlement[], Settlement[]] = [[], []];
  for (const settlement of settlements) {
    const name = `${settlement.orgId}\n${settlement.eventId}`;
    const claim = `${name}\n${settlement.jobId ?? ''}`;
    const isAfterAnother = settlement.retryOf !== undefined && events.has(name);
    if (isAfterAnother || claims.has(claim)) later.push(settlement);
    else now.push(settlement);
    events.add(name);
    claims.add(claim);
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
  const done = await findBetterSince(session, settlements);
  for (const settlement of settlements) {
    const { orgId, eventId, retryOf = [] } = settlement;
    const nameOf = (id: string) => `${orgId}\n${eventId}\n${id}`;
    const pipelineIds = [
      ...retryOf.filter(id => !failed.has(nameOf(id))),
      ...pipelinesOfAll(settlement).filter(id => done.has(nameOf(id))),
    ];
    if (pipelineIds.length > 0) needless.set(settlement, { kind: 'needless', pipelineIds });
  }
  return needless;
}

/** Looked up once the failures are locked, so that who was waited for is seen. */
async function findBetterSince(session: Session, settlements: readonly Settlement[]): Promise<Set<string>> {
  const wanted = settlements.flatMap(settlement =>
    pipelinesOfAll(settlement).map(pipelineId => ({ ...settlement, pipelineId })),
  );
  if (wanted.length === 0) return new Set();
  const { rows } = await session.query<{ org_id: string; event_id: string; pipeline_id: string }>(
    // Table by table, for each that is wanted: as one view they would be read whole.
    `SELECT wanted.org_id, wanted.event_id, wanted.pipeline_id
     FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (org_id, event_id, pipeline_id)
     CROSS JOIN LATERAL (SELECT max(id) AS id FROM runs
       WHERE org_id = wanted.org_id AND event_id = wanted.event_id
         AND pipeline_id = '${UNKNOWN_PIPELINE}' AND outcome = 'failed' AND mended = 0) AS unread
     WHERE EXISTS (SELECT 1 FROM runs AS better
         WHERE better.org_id = wanted.org_id AND better.event_id = wanted.event_id
           AND better.pipeline_id = wanted.pipeline_id AND better.outcome <> 'failed' AND better.id > unread.id)
       OR EXISTS (SELECT 1 FROM deliveries AS made
         WHERE made.org_id = wanted.org_id AND made.event_id = wanted.event_id
           AND made.pipeline_id = wanted.pipeline_id AND made.run_trace IS NOT NULL AND made.run_id > unread.id)`,
    [
      textArray(wanted.map(({ orgId }) => orgId)),
      textArray(wanted.map(({ eventId }) => eventId)),
      textArray(wanted.map(({ pipelineId }) => pipelineId)),
    ],
  );
  return new Set(rows.map(row => `${row.org_id}\n${row.event_id}\n${row.pipeline_id}`));
}
