import { newId } from '../../core/ids.ts';
import { REPLAYED } from '../../core/stores/delivery.ts';
import type { SettledRun, Settlement } from '../../core/stores/event-queue.ts';
import { isKeptTogether } from '../kept-run.ts';
import { type Made, tokenOf } from '../settled-result.ts';
import { bigintArray, textArray } from './arrays.ts';
import type { Session } from './sessions.ts';

/** Deliveries among settlements: those that runs make, and the dead ones that they take the place of. */

/** A run that is being written, and what it has made so far. */
export interface RunRow {
  readonly settlement: Settlement;
  readonly run: SettledRun;
  readonly position: number;
  readonly notes: { readonly destination: string; readonly note: string }[];
  readonly made: Made;
  /** As they are kept. */
  readonly output: string;
  readonly trace: string;
}

/** A destination that is being deleted is waited for: either it is gone here, or its deliveries go with it. */
export async function addDeliveries(session: Session, rows: readonly RunRow[], at: number): Promise<void> {
  const wanted = rows.flatMap(row => row.run.destinations.map(id => ({ row, id })));
  if (wanted.length === 0) return;
  // Each once: a batch mostly goes to the same few.
  const named = new Map(
    wanted.map(({ row, id }) => [`${row.settlement.orgId}\n${id}`, { orgId: row.settlement.orgId, id }]),
  );
  const { rows: found } = await session.query<{
    org_id: string;
    id: string;
    name: string;
    kind: string;
    paused: number;
  }>(
    `SELECT org_id, id, name, kind, paused FROM destinations
     WHERE (org_id, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
     ORDER BY org_id, id FOR KEY SHARE`,
    [
      textArray([...named.values()].map(({ orgId }) => orgId)),
      textArray([...named.values()].map(({ id }) => id)),
    ],
  );
  const known = new Map(found.map(destination => [`${destination.org_id}\n${destination.id}`, destination]));
  const there = wanted.flatMap(({ row, id }) => {
    const destination = known.get(`${row.settlement.orgId}\n${id}`);
    if (destination) {
      row.made.deliveries++;
      return [{ row, destination }];
    }
    row.notes.push({ destination: id, note: 'The destination is gone.' });
    row.made.gone.push(id);
    return [];
  });
  if (there.length === 0) return;
  const made = there.map(({ row, destination }) => {
    const run = isTogether(row) ? row.run : null;
    const id = newId('dlv', at);
    const token = destination.paused === 0 ? tokenOf(row.settlement, row.position, destination.id) : null;
    if (token !== null) row.made.claimed.push({ id, run: row.position, destinationId: destination.id });
    return { id, row, destination, token, run };
  });
  await cancelReplayed(session, made, at);
  await session.query(
    `INSERT INTO deliveries (id, org_id, event_id, run_id, pipeline_id, pipeline_name, destination_id,
       destination_name, destination_kind, state, lease_token, attempt, budget_from, due_at, created_at, run_version,
       run_source_name, run_job_id, run_output, run_trace)
     SELECT id, org_id, event_id, run_id, pipeline_id, pipeline_name, destination_id, destination_name,
       destination_kind, CASE WHEN token IS NULL THEN 'pending' ELSE 'delivering' END, token, 0, 0, $16, $16,
       NULLIF(run_version, -1), run_source_name, run_job_id, run_output, run_trace
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::text[], $10::text[], $11::bigint[], $12::text[], $13::text[], $14::text[], $15::text[])
     AS new (id, org_id, event_id, run_id, pipeline_id, pipeline_name, destination_id, destination_name,
       destination_kind, token, run_version, run_source_name, run_job_id, run_output, run_trace)`,
    [
      textArray(made.map(({ id }) => id)),
      textArray(made.map(({ row }) => row.settlement.orgId)),
      textArray(made.map(({ row }) => row.settlement.eventId)),
      textArray(made.map(({ row }) => row.run.id)),
      textArray(made.map(({ row }) => row.run.pipelineId)),
      textArray(made.map(({ row }) => row.run.pipelineName)),
      textArray(made.map(({ destination }) => destination.id)),
      textArray(made.map(({ destination }) => destination.name)),
      textArray(made.map(({ destination }) => destination.kind)),
      textArray(made.map(({ token }) => token)),
      bigintArray(made.map(({ run }) => run?.version ?? -1)),
      textArray(made.map(({ run }) => run?.sourceName ?? null)),
      textArray(made.map(({ row, run }) => (run === null ? null : (row.settlement.jobId ?? '')))),
      textArray(made.map(({ row, run }) => (run === null ? null : row.output))),
      textArray(made.map(({ row, run }) => (run === null ? null : row.trace))),
      at,
    ],
  );
}

/** Once its deliveries are counted: whether the run has no row of its own. */
export const isTogether = (row: RunRow): boolean =>
  isKeptTogether({ ...row, deliveries: row.made.deliveries });

interface NewDelivery {
  readonly id: string;
  readonly row: RunRow;
  readonly destination: { readonly id: string };
}

/**
 * What had died is not retried beside the delivery that a replay makes again. An event has few deliveries; as an
 * expression, the state does not tempt the planner to look through all the dead.
 */
async function cancelReplayed(session: Session, made: readonly NewDelivery[], at: number): Promise<void> {
  const again = made.filter(({ row }) => row.settlement.jobId !== null);
  if (again.length === 0) return;
  const { rows } = await session.query<{ replayed_by: string }>(
    `UPDATE deliveries AS old SET state = 'cancelled', code = '${REPLAYED}', finished_at = $6, replayed_by = new.id
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
       AS new (id, org_id, event_id, pipeline_id, destination_id)
     WHERE old.org_id = new.org_id AND old.event_id = new.event_id AND old.pipeline_id = new.pipeline_id
       AND old.destination_id = new.destination_id AND old.state || '' = 'dead'
     RETURNING old.replayed_by`,
    [
      textArray(again.map(({ id }) => id)),
      textArray(again.map(({ row }) => row.settlement.orgId)),
      textArray(again.map(({ row }) => row.settlement.eventId)),
      textArray(again.map(({ row }) => row.run.pipelineId)),
      textArray(again.map(({ destination }) => destination.id)),
      at,
    ],
  );
  const byId = new Map(again.map(({ id, row }) => [id, row.made]));
  for (const { replayed_by } of rows) {
    const of = byId.get(replayed_by);
    if (of) of.replayed++;
  }
}
