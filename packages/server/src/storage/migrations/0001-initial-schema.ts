/** The tables of the ingest endpoints, their keys, and the people. */
export const initialSchema = [
  `CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)`,

  `CREATE TABLE organisations (
     id TEXT PRIMARY KEY, name TEXT NOT NULL, retention_days BIGINT, searchable_traits TEXT NOT NULL,
     created_at BIGINT NOT NULL)`,
  `CREATE TABLE users (
     id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL, created_at BIGINT NOT NULL)`,
  `CREATE TABLE memberships (
     org_id TEXT NOT NULL, user_id TEXT NOT NULL, role TEXT NOT NULL, created_at BIGINT NOT NULL,
     PRIMARY KEY (org_id, user_id))`,
  `CREATE INDEX memberships_of_user ON memberships (user_id)`,
  `CREATE TABLE invitations (
     id TEXT PRIMARY KEY, org_id TEXT NOT NULL, email TEXT NOT NULL, role TEXT NOT NULL,
     code_hash TEXT NOT NULL UNIQUE, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL)`,
  `CREATE TABLE sessions (
     token_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL, org_id TEXT NOT NULL,
     created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL)`,
  `CREATE INDEX sessions_by_expiry ON sessions (expires_at)`,

  `CREATE TABLE api_keys (
     id TEXT PRIMARY KEY, org_id TEXT NOT NULL, name TEXT NOT NULL, prefix TEXT NOT NULL,
     hash TEXT NOT NULL UNIQUE, created_at BIGINT NOT NULL, last_used_at BIGINT, revoked_at BIGINT)`,
  `CREATE INDEX api_keys_of_org ON api_keys (org_id)`,

  `CREATE TABLE sources (
     id TEXT PRIMARY KEY, org_id TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, enabled BIGINT NOT NULL,
     "match" TEXT, token_hash TEXT UNIQUE, sealed_token TEXT, auth TEXT, sealed_secret TEXT,
     previous_sealed_secret TEXT, previous_secret_until BIGINT,
     rate_per_second DOUBLE PRECISION, rate_burst DOUBLE PRECISION,
     created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, last_event_at BIGINT)`,
  `CREATE INDEX sources_of_org ON sources (org_id)`,
  // n tells refusals of one millisecond apart.
  `CREATE TABLE rejections (
     source_id TEXT NOT NULL, org_id TEXT NOT NULL, at BIGINT NOT NULL, n BIGINT NOT NULL,
     code TEXT NOT NULL, message TEXT NOT NULL)`,
  `CREATE INDEX rejections_of_source ON rejections (source_id, at, n)`,

  `CREATE TABLE audit (
     id TEXT NOT NULL, org_id TEXT NOT NULL, at BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
     target TEXT NOT NULL, details TEXT NOT NULL, PRIMARY KEY (org_id, id))`,

  // Ids sort by time, so the primary key is also the order of every list, and appends land at its end.
  `CREATE TABLE events (
     id TEXT NOT NULL, org_id TEXT NOT NULL, source_id TEXT, state TEXT NOT NULL, type TEXT NOT NULL, icon TEXT,
     sender_id TEXT, entity_kind TEXT, entity_external_id TEXT,
     happened_at BIGINT NOT NULL, received_at BIGINT NOT NULL, payload TEXT NOT NULL,
     PRIMARY KEY (org_id, id))`,
  `CREATE INDEX events_waiting ON events (org_id, id) WHERE state = 'accepted'`,
  `CREATE UNIQUE INDEX events_by_sender_id ON events (org_id, sender_id) WHERE sender_id IS NOT NULL`,
  `CREATE INDEX events_of_entity ON events (org_id, entity_kind, entity_external_id, id)
     WHERE entity_kind IS NOT NULL`,

  `CREATE TABLE idempotency_keys (
     scope TEXT NOT NULL, key TEXT NOT NULL, org_id TEXT NOT NULL, body_hash TEXT, event_ids TEXT NOT NULL,
     expires_at BIGINT NOT NULL, PRIMARY KEY (scope, key))`,
  `CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at)`,

  `CREATE TABLE nodes (id TEXT PRIMARY KEY, seen_at BIGINT NOT NULL)`,
];
