/**
 * Each organisation has a source of its system events, named after it. What is wrong at present, and was told lately,
 * stands in `alerts`, so that it is told once, whichever node looks and however often one is restarted.
 */
export const systemSources = [
  `INSERT INTO sources (id, org_id, kind, name, enabled, created_at, updated_at)
     SELECT 'src_' || substr(id, 5), id, 'system', 'System', 1, created_at, created_at FROM organisations`,
  `ALTER TABLE sources ADD COLUMN expect_every_minutes BIGINT`,
  `CREATE INDEX sources_expected ON sources (id) WHERE expect_every_minutes IS NOT NULL`,
  // A subject without a name stands for the type: when an event of it was last raised.
  `CREATE TABLE alerts (
     org_id TEXT NOT NULL, type TEXT NOT NULL, subject TEXT NOT NULL, since BIGINT NOT NULL, raised_at BIGINT,
     recovered_at BIGINT, details TEXT NOT NULL, PRIMARY KEY (org_id, type, subject))`,
  `CREATE INDEX destinations_down ON destinations (id) WHERE breaker_opened_at IS NOT NULL`,
  `CREATE INDEX counters_of_failures ON counters (at) WHERE span = 60000 AND name IN ('dead', 'failed')`,
  `CREATE INDEX rejections_by_time ON rejections (at)`,
  `ALTER TABLE jobs ADD COLUMN announced BIGINT NOT NULL DEFAULT 0`,
  `UPDATE jobs SET announced = 1 WHERE finished_at IS NOT NULL`,
  `CREATE INDEX jobs_to_announce ON jobs (id) WHERE finished_at IS NOT NULL AND announced = 0`,
];
