/**
 * A run that failed is of no interest once its pipeline has run the event better: among the dead letters nobody has to
 * look past all that were ever retried.
 */
export const resolvedRuns = [
  `ALTER TABLE runs ADD COLUMN mended BIGINT NOT NULL DEFAULT 0`,
  `UPDATE runs SET mended = 1 WHERE outcome = 'failed' AND EXISTS (
     SELECT 1 FROM runs AS later WHERE later.org_id = runs.org_id AND later.event_id = runs.event_id
       AND later.pipeline_id = runs.pipeline_id AND later.id > runs.id AND later.outcome <> 'failed')`,
  `DROP INDEX runs_failed`,
  `CREATE INDEX runs_failed ON runs (org_id, event_id) WHERE outcome = 'failed' AND mended = 0`,
];
