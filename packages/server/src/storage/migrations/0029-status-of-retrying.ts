/**
 * The status of the last attempt of what is retried, as 0026 put it beside the dead. One that is there was recorded with
 * the attempt, maybe just now by a node that is at work.
 */
export const statusOfRetrying = [
  `UPDATE deliveries SET attempt_status = (
     SELECT status FROM attempts
     WHERE attempts.org_id = deliveries.org_id AND attempts.delivery_id = deliveries.id
       AND attempts.n = deliveries.attempt)
   WHERE state IN ('retrying', 'delivering') AND code IS NOT NULL AND attempt_status IS NULL`,
];
