/**
 * What nodes agree on while a destination is down: the probe that is under way, the last one that failed, and why.
 * Failures in a row are counted in memory. A delivery knows since when its present budget runs and since when it has
 * waited; one that was ended by an outage says which. Policies that were changed hold on for what waited by then.
 */
export const agreedBreakers = [
  `ALTER TABLE destinations ADD COLUMN probe_until BIGINT`,
  // Of the node that has it: what a dead one had is found by that.
  `ALTER TABLE destinations ADD COLUMN probe_token TEXT`,
  `CREATE INDEX destinations_probed ON destinations (probe_token) WHERE probe_token IS NOT NULL`,
  `ALTER TABLE destinations ADD COLUMN last_probe_at BIGINT`,
  `ALTER TABLE destinations ADD COLUMN probe_ended_at BIGINT`,
  `ALTER TABLE destinations ADD COLUMN last_failure TEXT`,
  `ALTER TABLE destinations ADD COLUMN former_policies TEXT NOT NULL DEFAULT '[]'`,
  `ALTER TABLE destinations DROP COLUMN failures_in_a_row`,
  `ALTER TABLE deliveries ADD COLUMN budget_at BIGINT`,
  `ALTER TABLE deliveries ADD COLUMN waiting_from BIGINT`,
  `ALTER TABLE deliveries ADD COLUMN down_since BIGINT`,
  `ALTER TABLE deliveries ADD COLUMN probed_at BIGINT`,
  // Probes go on for as long as an outage, and only the last of them are kept.
  `ALTER TABLE attempts ADD COLUMN is_probe INTEGER NOT NULL DEFAULT 0`,
];
