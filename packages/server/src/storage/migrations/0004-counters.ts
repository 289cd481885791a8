/** What happened by the minute and by the hour, so that no chart ever has to read events. */
export const counters = [
  // A subject is the organisation itself (empty), a source, a pipeline, a destination, or an arrow between two of
  // them (`src_…>pipe_…`). `span` is the length of what a row counts, in milliseconds; `at` is when it begins.
  `CREATE TABLE counters (
     org_id TEXT NOT NULL, subject TEXT NOT NULL, name TEXT NOT NULL, span BIGINT NOT NULL, at BIGINT NOT NULL,
     amount BIGINT NOT NULL, PRIMARY KEY (org_id, subject, name, span, at))`,
  `CREATE INDEX counters_by_age ON counters (org_id, at)`,
];
