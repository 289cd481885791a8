/**
 * Files of exports, in pieces, so that every node can hand one out; and the filters and columns that people keep under a
 * name. A view without a user is the organisation's. A file is large: it is marked as gone at once, and removed bit by bit.
 */
export const exportsAndSavedViews = [
  `CREATE TABLE export_chunks (
     org_id TEXT NOT NULL, job_id TEXT NOT NULL, n BIGINT NOT NULL, bytes BIGINT NOT NULL, body TEXT NOT NULL,
     PRIMARY KEY (org_id, job_id, n))`,
  `ALTER TABLE jobs ADD COLUMN file_gone BIGINT NOT NULL DEFAULT 0`,
  `CREATE TABLE saved_views (
     id TEXT NOT NULL, org_id TEXT NOT NULL, user_id TEXT, name TEXT NOT NULL, filters TEXT NOT NULL,
     columns TEXT NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (org_id, id))`,
];
