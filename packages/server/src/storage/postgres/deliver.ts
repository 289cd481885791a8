import type { DeliveryQueue, EndedAttempt } from '../../core/stores/delivery-queue.ts';
import {
  type ClaimedDeliveryRow,
  claimedDeliveryColumns,
  claimedDeliveryJoins,
  finishedAt,
  forgetProbes,
  isUnspent,
  toClaimedDelivery,
} from '../claimed-delivery.ts';
import { isOnlyAttempt, keptRequest } from '../kept-attempt.ts';
import { outputSize } from '../kept-run.ts';
import { lateDeliveries } from '../late-counts.ts';
import { bigintArray, textArray } from './arrays.ts';
import { countLate } from './count-late.ts';
import { retrying } from './failure.ts';
import type { Session, SessionPool } from './sessions.ts';

/** Deliveries on PostgreSQL: claimed by several nodes at once, and their attempts recorded. */

/** Nodes that claim at once pass over each other's rows. The first that is due goes out however large it is. */
const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT first.org_id, first.id, first.event_id, first.run_id, first.run_output, first.destination_id, first.due_at,
      input.bytes
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS input (org_id, destination_id, most, bytes)
    JOIN destinations AS destination
      ON destination.org_id = input.org_id AND destination.id = input.destination_id AND destination.paused = 0
    CROSS JOIN LATERAL (
      SELECT org_id, id, event_id, run_id, run_output, destination_id, due_at FROM deliveries
      WHERE state IN ('pending', 'retrying') AND deliveries.destination_id = input.destination_id
        AND deliveries.org_id = input.org_id AND due_at <= $5
      ORDER BY due_at LIMIT input.most FOR UPDATE SKIP LOCKED) AS first),
  fitting AS (
    SELECT delivery.org_id, delivery.id, delivery.bytes, ${outputSize} AS size, sum(${outputSize})
      OVER (PARTITION BY delivery.destination_id ORDER BY delivery.due_at, delivery.id) AS so_far
    FROM due AS delivery ${claimedDeliveryJoins})
  UPDATE deliveries AS delivery SET state = 'delivering', lease_token = $6
  FROM fitting WHERE delivery.org_id = fitting.org_id AND delivery.id = fitting.id
    AND (fitting.so_far <= fitting.bytes OR fitting.so_far = fitting.size)
  RETURNING delivery.org_id, delivery.id`;

const FIND_CLAIMED = `
  SELECT ${claimedDeliveryColumns}
  FROM unnest($1::text[], $2::text[]) AS mine (org_id, id)
  JOIN deliveries AS delivery ON delivery.org_id = mine.org_id AND delivery.id = mine.id ${claimedDeliveryJoins}
  ORDER BY delivery.due_at, delivery.id`;

export function createClaimDeliveries(sessions: SessionPool): DeliveryQueue['claimDeliveries'] {
  return (inputs, { token, now }) =>
    retrying(() =>
      sessions.transaction(async session => {
        const { rows: taken } = await session.query<{ org_id: string; id: string }>(CLAIM, [
          textArray(inputs.map(({ orgId }) => orgId)),
          textArray(inputs.map(({ destinationId }) => destinationId)),
          bigintArray(inputs.map(({ limit }) => limit)),
          bigintArray(inputs.map(({ bytes }) => bytes)),
          now,
          token,
        ]);
        if (taken.length === 0) return [];
        const { rows } = await session.query<ClaimedDeliveryRow>(FIND_CLAIMED, [
          textArray(taken.map(row => row.org_id)),
          textArray(taken.map(row => row.id)),
        ]);
        return rows.map(toClaimedDelivery);
      }),
    );
}

const FORGET_PROBES = forgetProbes('$1', '$2');

export function createRecordAttempts(sessions: SessionPool): DeliveryQueue['recordAttempts'] {
  return records => retrying(() => sessions.transaction(session => recordAttempts(session, records)));
}

/** Only results whose claim still holds count. */
async function recordAttempts(session: Session, ended: readonly EndedAttempt[]): Promise<number[]> {
  const records = ended.map(record => ({
    ...record,
    attempt: { ...record.attempt, request: keptRequest(record) },
  }));
  const only = records.map(record => (isOnlyAttempt(record, record.attempt.request) ? record : null));
  const { rows } = await session.query<{ id: string; token: string }>(
    `UPDATE deliveries AS delivery SET state = new.state, attempt = delivery.attempt + 1, code = new.code,
       finished_at = NULLIF(new.finished_at, -1), lease_token = NULL,
       due_at = CASE new.due_at WHEN -1 THEN delivery.due_at ELSE new.due_at END,
       budget_from = delivery.budget_from + new.unspent,
       waiting_from = CASE new.unspent WHEN 1 THEN coalesce(delivery.waiting_from, delivery.due_at) END,
       attempt_ms = NULLIF(new.ms, -1), attempt_status = NULLIF(new.status, -1), attempt_request = new.request,
       attempt_response = new.response
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],
       $9::bigint[], $10::bigint[], $11::text[], $12::text[])
       AS new (org_id, id, token, state, code, finished_at, due_at, unspent, ms, status, request, response)
     WHERE delivery.org_id = new.org_id AND delivery.id = new.id AND delivery.lease_token = new.token
     RETURNING delivery.id, new.token`,
    [
      textArray(records.map(({ orgId }) => orgId)),
      textArray(records.map(({ deliveryId }) => deliveryId)),
      textArray(records.map(({ token }) => token)),
      textArray(records.map(({ next }) => next.state)),
      textArray(records.map(({ attempt }) => attempt.code)),
      bigintArray(records.map(record => finishedAt(record) ?? -1)),
      bigintArray(records.map(({ next }) => (next.state === 'retrying' ? next.dueAt : -1))),
      bigintArray(records.map(record => Number(isUnspent(record)))),
      bigintArray(only.map(one => one?.attempt.durationMs ?? -1)),
      bigintArray(records.map((record, i) => statusInRow(record, only[i] !== null) ?? -1)),
      textArray(only.map(one => one?.attempt.request ?? null)),
      textArray(only.map(one => one?.attempt.response ?? null)),
    ],
  );
  // A node that was declared dead and took a delivery up again may hold two results of it, of which one is right.
  const accepted = new Set(rows.map(({ id, token }) => `${id}\n${token}`));
  const isAccepted = ({ deliveryId, token }: EndedAttempt) => accepted.has(`${deliveryId}\n${token}`);
  const kept = records.filter(isAccepted);
  await keepAttempts(
    session,
    kept.filter(record => !only.includes(record)),
  );
  for (const { orgId, deliveryId } of kept.filter(isUnspent)) {
    await session.query(FORGET_PROBES, [orgId, deliveryId]);
  }
  await countLate(session, lateDeliveries(kept));
  return records.flatMap((record, position) => (isAccepted(record) ? [] : [position]));
}

/** Of the only attempt, and of the last one that failed. */
const statusInRow = ({ attempt, next }: EndedAttempt, isOnly: boolean): number | null =>
  isOnly || next.state !== 'delivered' ? attempt.status : null;

async function keepAttempts(session: Session, kept: readonly EndedAttempt[]): Promise<void> {
  if (kept.length === 0) return;
  await session.query(
    `INSERT INTO attempts (org_id, delivery_id, n, at, duration_ms, status, code, message, request, response, is_probe,
       exchange)
     SELECT org_id, delivery_id, n, at, duration_ms, NULLIF(status, -1), code, message, request, response, is_probe,
       exchange
     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[],
       $8::text[], $9::text[], $10::text[], $11::bigint[], $12::text[])
     AS new (org_id, delivery_id, n, at, duration_ms, status, code, message, request, response, is_probe, exchange)`,
    [
      textArray(kept.map(({ orgId }) => orgId)),
      textArray(kept.map(({ deliveryId }) => deliveryId)),
      bigintArray(kept.map(({ attempt }) => attempt.n)),
      bigintArray(kept.map(({ attempt }) => attempt.at)),
      bigintArray(kept.map(({ attempt }) => attempt.durationMs)),
      bigintArray(kept.map(({ attempt }) => attempt.status ?? -1)),
      textArray(kept.map(({ attempt }) => attempt.code)),
      textArray(kept.map(({ attempt }) => attempt.message)),
      textArray(kept.map(({ attempt }) => attempt.request)),
      textArray(kept.map(({ attempt }) => attempt.response)),
      bigintArray(kept.map(record => Number(isUnspent(record)))),
      textArray(kept.map(({ attempt }) => attempt.exchange ?? null)),
    ],
  );
}
