/**
 * What mostly comes together is kept in one row: a run with the one delivery that it makes, and that with the one
 * attempt that it takes. All other runs and attempts, and all of before, have rows of their own; the views show both.
 */
export const keptTogether = [
  // The run where `run_trace` is there.
  `ALTER TABLE deliveries ADD COLUMN run_version BIGINT`,
  `ALTER TABLE deliveries ADD COLUMN run_source_name TEXT`,
  `ALTER TABLE deliveries ADD COLUMN run_job_id TEXT`,
  `ALTER TABLE deliveries ADD COLUMN run_output TEXT`,
  `ALTER TABLE deliveries ADD COLUMN run_trace TEXT`,
  // The attempt where `attempt_request` is there.
  `ALTER TABLE deliveries ADD COLUMN attempt_ms BIGINT`,
  `ALTER TABLE deliveries ADD COLUMN attempt_status BIGINT`,
  `ALTER TABLE deliveries ADD COLUMN attempt_request TEXT`,
  `ALTER TABLE deliveries ADD COLUMN attempt_response TEXT`,
  `CREATE VIEW all_runs AS
     SELECT id, org_id, event_id, pipeline_id, pipeline_name, version, source_name, outcome, failed_step, reason, output,
       trace, notes, replay_job_id, created_at, mended FROM runs
     UNION ALL
     SELECT run_id, org_id, event_id, pipeline_id, pipeline_name, run_version, run_source_name,
       'routed', NULL, NULL, run_output, run_trace, NULL, run_job_id, created_at, 0
     FROM deliveries WHERE run_trace IS NOT NULL`,
  `CREATE VIEW all_attempts AS
     SELECT org_id, delivery_id, n, at, duration_ms, status, code, message, request, response, is_probe FROM attempts
     UNION ALL
     SELECT org_id, id, 1, finished_at - attempt_ms, attempt_ms, attempt_status, NULL, NULL, attempt_request,
       attempt_response, 0
     FROM deliveries WHERE attempt_request IS NOT NULL`,
  // A run is stored once and makes each of its deliveries once: an index of its own watched over that a second time.
  `DROP INDEX deliveries_once`,
  // Only asked for the versions of pipelines that are gone, which stay for as long as there are events of their time.
  `DROP INDEX runs_of_pipeline`,
  `ALTER TABLE pipeline_versions ADD COLUMN gone_at BIGINT`,
];
