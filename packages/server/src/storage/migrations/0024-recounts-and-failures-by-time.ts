/** Which minutes are counted again after a death, and how far that has come; failures by when they happened. */
export const recountsAndFailuresByTime = [
  // The first minute that is left, and the last one; null where an older node noted the death.
  `ALTER TABLE lost_counts ADD COLUMN from_at BIGINT`,
  `ALTER TABLE lost_counts ADD COLUMN to_at BIGINT`,
  // Of that first minute, the organisations up to this one are done.
  `ALTER TABLE lost_counts ADD COLUMN after_org TEXT NOT NULL DEFAULT ''`,
  // Whoever looks for what has just failed finds it, however much failed before, and of whatever age it is.
  `CREATE INDEX deliveries_dead_by_time ON deliveries (org_id, finished_at) WHERE state = 'dead'`,
  `CREATE INDEX runs_failed_by_time ON runs (org_id, created_at) WHERE outcome = 'failed' AND mended = 0`,
];
