/** Events that people save to try pipelines and destinations with. */
export const testEvents = [
  `CREATE TABLE test_events (
     id TEXT PRIMARY KEY, org_id TEXT NOT NULL, name TEXT NOT NULL, event TEXT NOT NULL,
     created_by TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL
   )`,
  `CREATE INDEX test_events_of_organisation ON test_events (org_id, name)`,
];
