/** What is kept of an attempt that failed, and by which status dead letters are told apart. */
export const failedExchanges = [
  // JSON: see `Exchange`. Null where it was delivered.
  `ALTER TABLE attempts ADD COLUMN exchange TEXT`,
  `DROP VIEW all_attempts`,
  `CREATE VIEW all_attempts AS
     SELECT org_id, delivery_id, n, at, duration_ms, status, code, message, request, response, is_probe, exchange
     FROM attempts
     UNION ALL
     SELECT org_id, id, 1, finished_at - attempt_ms, attempt_ms, attempt_status, NULL, NULL, attempt_request,
       attempt_response, 0, NULL
     FROM deliveries WHERE attempt_request IS NOT NULL`,
  // The status that a dead delivery was given up with stands in its own row, so that an index alone can group them.
  `UPDATE deliveries SET attempt_status = (
     SELECT status FROM attempts
     WHERE attempts.org_id = deliveries.org_id AND attempts.delivery_id = deliveries.id
       AND attempts.n = deliveries.attempt)
   WHERE state = 'dead' AND code <> 'destination_down'`,
  `DROP INDEX deliveries_dead_why`,
  `CREATE INDEX deliveries_dead_why ON deliveries (org_id, id, destination_id, code, attempt_status)
   WHERE state = 'dead'`,
];
