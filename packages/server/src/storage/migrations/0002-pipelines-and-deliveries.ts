/** What an event passes through, where it goes, and what became of it on the way. */
export const pipelinesAndDeliveries = [
  `CREATE TABLE pipelines (
     id TEXT NOT NULL, org_id TEXT NOT NULL, name TEXT NOT NULL, enabled BIGINT NOT NULL, version BIGINT NOT NULL,
     created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (org_id, id))`,
  // The definition with its secrets sealed. Versions are never changed and outlive the pipeline, as its runs do.
  `CREATE TABLE pipeline_versions (
     org_id TEXT NOT NULL, pipeline_id TEXT NOT NULL, version BIGINT NOT NULL, definition TEXT NOT NULL,
     created_by TEXT NOT NULL, created_at BIGINT NOT NULL, PRIMARY KEY (org_id, pipeline_id, version))`,

  `CREATE TABLE destinations (
     id TEXT NOT NULL, org_id TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, config TEXT NOT NULL,
     policy TEXT NOT NULL, paused BIGINT NOT NULL, failures_in_a_row BIGINT NOT NULL, breaker_opened_at BIGINT,
     next_probe_at BIGINT, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (org_id, id))`,

  `ALTER TABLE events ADD COLUMN matched_sources TEXT`,
  `CREATE INDEX events_failed ON events (org_id, id) WHERE state = 'failed'`,

  // Who is working on an event, and until when nobody else may. A claim that outlives its worker is evidence: tries
  // counts how often. The job is that of a replay, or empty. The plan names the runs to do, where it is not all of them.
  `CREATE TABLE event_claims (
     org_id TEXT NOT NULL, event_id TEXT NOT NULL, job_id TEXT NOT NULL, token TEXT NOT NULL, until BIGINT NOT NULL,
     tries BIGINT NOT NULL, plan TEXT, PRIMARY KEY (org_id, event_id, job_id))`,
  // What waits for its time: runs that are tried again later (their event's state is 'deferred', which is shown as
  // accepted), and replays.
  `CREATE TABLE parked_events (
     org_id TEXT NOT NULL, event_id TEXT NOT NULL, job_id TEXT NOT NULL, due_at BIGINT NOT NULL, plan TEXT,
     PRIMARY KEY (org_id, event_id, job_id))`,
  `CREATE INDEX parked_events_due ON parked_events (org_id, due_at)`,

  // However often a crash makes it run again, an event is settled once for each pipeline, and once for each replay.
  `CREATE TABLE runs (
     id TEXT NOT NULL, org_id TEXT NOT NULL, event_id TEXT NOT NULL, pipeline_id TEXT NOT NULL,
     pipeline_name TEXT NOT NULL, version BIGINT NOT NULL, source_name TEXT, outcome TEXT NOT NULL, failed_step BIGINT,
     reason TEXT, output TEXT NOT NULL, trace TEXT NOT NULL, notes TEXT, replay_job_id TEXT NOT NULL,
     created_at BIGINT NOT NULL, PRIMARY KEY (org_id, event_id, pipeline_id, replay_job_id))`,
  `CREATE INDEX runs_failed ON runs (org_id, event_id) WHERE outcome = 'failed'`,
  `CREATE INDEX runs_of_pipeline ON runs (org_id, pipeline_id, event_id)`,

  `CREATE TABLE dedupe_keys (
     org_id TEXT NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL, event_id TEXT NOT NULL,
     expires_at BIGINT NOT NULL, PRIMARY KEY (org_id, scope, key))`,
  `CREATE INDEX dedupe_keys_by_expiry ON dedupe_keys (expires_at)`,
  `CREATE TABLE labels (
     org_id TEXT NOT NULL, key TEXT NOT NULL, label TEXT, lease_until BIGINT NOT NULL, hits BIGINT NOT NULL,
     used_at BIGINT NOT NULL, PRIMARY KEY (org_id, key))`,
  `CREATE INDEX labels_by_use ON labels (used_at)`,
  `CREATE TABLE tallies (
     org_id TEXT NOT NULL, pipeline_id TEXT NOT NULL, tally TEXT NOT NULL, count BIGINT NOT NULL,
     PRIMARY KEY (org_id, pipeline_id, tally))`,

  // What is sent is the run's output; a delivery only says where it goes and how far it has come.
  `CREATE TABLE deliveries (
     id TEXT NOT NULL, org_id TEXT NOT NULL, event_id TEXT NOT NULL, run_id TEXT NOT NULL, pipeline_id TEXT NOT NULL,
     pipeline_name TEXT NOT NULL, destination_id TEXT NOT NULL, destination_name TEXT NOT NULL,
     destination_kind TEXT NOT NULL, state TEXT NOT NULL, attempt BIGINT NOT NULL, budget_from BIGINT NOT NULL,
     due_at BIGINT NOT NULL, lease_until BIGINT, lease_token TEXT, code TEXT,
     created_at BIGINT NOT NULL, finished_at BIGINT, PRIMARY KEY (org_id, id))`,
  `CREATE UNIQUE INDEX deliveries_once ON deliveries (org_id, run_id, destination_id)`,
  `CREATE INDEX deliveries_of_event ON deliveries (org_id, event_id)`,
  `CREATE INDEX deliveries_of_destination ON deliveries (org_id, destination_id, id)`,
  `CREATE INDEX deliveries_due ON deliveries (destination_id, due_at) WHERE state IN ('pending', 'retrying')`,
  `CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE state = 'delivering'`,
  `CREATE INDEX deliveries_dead ON deliveries (org_id, id) WHERE state = 'dead'`,
  `CREATE TABLE attempts (
     org_id TEXT NOT NULL, delivery_id TEXT NOT NULL, n BIGINT NOT NULL, at BIGINT NOT NULL,
     duration_ms BIGINT NOT NULL, status BIGINT, code TEXT, message TEXT, request TEXT NOT NULL, response TEXT NOT NULL,
     PRIMARY KEY (org_id, delivery_id, n))`,

  // A long piece of work that a person asked for: replays, retries of dead letters.
  `CREATE TABLE jobs (
     id TEXT NOT NULL, org_id TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, request TEXT NOT NULL,
     total BIGINT NOT NULL, done BIGINT NOT NULL, failed BIGINT NOT NULL, position TEXT, notes TEXT NOT NULL,
     lease_until BIGINT NOT NULL, created_by TEXT NOT NULL, created_at BIGINT NOT NULL, finished_at BIGINT,
     PRIMARY KEY (org_id, id))`,
  `CREATE INDEX jobs_open ON jobs (id) WHERE finished_at IS NULL`,
];
