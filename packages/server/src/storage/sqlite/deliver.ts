import type { Database } from 'bun:sqlite';
import type { ClaimedDelivery, DeliveryQueue, EndedAttempt } from '../../core/stores/delivery-queue.ts';
import {
  type ClaimedDeliveryRow,
  claimedDeliveryColumns,
  claimedDeliveryJoins,
  finishedAt,
  forgetProbes,
  isUnspent,
  toClaimedDelivery,
} from '../claimed-delivery.ts';
import { isOnlyAttempt } from '../kept-attempt.ts';
import { lateDeliveries } from '../late-counts.ts';
import { prepareCountLate } from './count-late.ts';

type ClaimDeliveries = (...args: Parameters<DeliveryQueue['claimDeliveries']>) => ClaimedDelivery[];
type RecordAttempts = (...args: Parameters<DeliveryQueue['recordAttempts']>) => number[];

/** Claims deliveries inside the writer's transaction, so that what it reads nobody else can claim. */
export function prepareClaimDeliveries(database: Database): ClaimDeliveries {
  const takesNow = database.prepare<{ id: string }, [string, string]>(
    'SELECT id FROM destinations WHERE org_id = ? AND id = ? AND paused = 0',
  );
  const findDue = database.prepare<ClaimedDeliveryRow, [string, string, number, number]>(
    `SELECT ${claimedDeliveryColumns} FROM deliveries AS delivery INDEXED BY deliveries_due ${claimedDeliveryJoins}
     WHERE delivery.state IN ('pending', 'retrying') AND delivery.destination_id = ? AND delivery.org_id = ?
       AND delivery.due_at <= ? ORDER BY delivery.due_at LIMIT ?`,
  );
  const take = database.prepare(
    `UPDATE deliveries SET state = 'delivering', lease_token = ? WHERE org_id = ? AND id = ?`,
  );

  return (inputs, { token, now }) => {
    const claimed: ClaimedDelivery[] = [];
    for (const { orgId, destinationId, limit, bytes } of inputs) {
      if (takesNow.get(orgId, destinationId) === null) continue;
      const due: ClaimedDelivery[] = [];
      let size = 0;
      for (const row of findDue.iterate(destinationId, orgId, now, limit)) {
        const delivery = toClaimedDelivery(row);
        if (due.length > 0 && size + delivery.output.length > bytes) break;
        size += delivery.output.length;
        due.push(delivery);
      }
      for (const delivery of due) {
        take.run(token, orgId, delivery.id);
        claimed.push(delivery);
      }
    }
    return claimed;
  };
}

export function prepareRecordAttempts(database: Database): RecordAttempts {
  const end = database.prepare(
    `UPDATE deliveries SET state = ?, attempt = attempt + 1, code = ?, attempt_status = ?, finished_at = ?,
       due_at = coalesce(?, due_at),
       budget_from = budget_from + ?, waiting_from = CASE ? WHEN 1 THEN coalesce(waiting_from, due_at) END,
       lease_token = NULL
     WHERE org_id = ? AND id = ? AND lease_token = ?`,
  );
  const deliver = database.prepare(
    `UPDATE deliveries SET state = 'delivered', attempt = 1, code = NULL, finished_at = ?, waiting_from = NULL,
       lease_token = NULL, attempt_ms = ?, attempt_status = ?, attempt_request = ?, attempt_response = ?
     WHERE org_id = ? AND id = ? AND lease_token = ? AND attempt = 0`,
  );
  const keep = database.prepare(
    `INSERT INTO attempts (org_id, delivery_id, n, at, duration_ms, status, code, message, request, response,
       is_probe, exchange)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  const forget = database.prepare(forgetProbes('?1', '?2'));
  const countLate = prepareCountLate(database);

  return records => {
    const refused: number[] = [];
    const late: EndedAttempt[] = [];
    for (const [position, record] of records.entries()) {
      const { orgId, deliveryId, token, attempt, next } = record;
      const { n, at, durationMs, status, code, message, request, response, exchange = null } = attempt;
      if (isOnlyAttempt(record, request)) {
        const ended = finishedAt(record);
        const { changes } = deliver.run(
          ended,
          durationMs,
          status,
          request,
          response,
          orgId,
          deliveryId,
          token,
        );
        if (changes === 0) refused.push(position);
        else if (next.state === 'delivered' && next.lateAt !== undefined) late.push(record);
        continue;
      }
      const dueAt = next.state === 'retrying' ? next.dueAt : null;
      const unspent = Number(isUnspent(record));
      const { changes } = end.run(
        next.state,
        code,
        next.state === 'delivered' ? null : status,
        finishedAt(record),
        dueAt,
        unspent,
        unspent,
        orgId,
        deliveryId,
        token,
      );
      if (changes === 0) {
        refused.push(position);
        continue;
      }
      keep.run(
        orgId,
        deliveryId,
        n,
        at,
        durationMs,
        status,
        code,
        message,
        request,
        response,
        unspent,
        exchange,
      );
      if (unspent === 1) forget.run(orgId, deliveryId);
      if (next.state === 'delivered' && next.lateAt !== undefined) late.push(record);
    }
    countLate(lateDeliveries(late));
    return refused;
  };
}
