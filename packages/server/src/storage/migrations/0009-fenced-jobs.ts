/** Whoever works on a job shows what it was claimed with, so that nobody goes on with one that another has taken over. */
export const fencedJobs = [`ALTER TABLE jobs ADD COLUMN lease_token TEXT NOT NULL DEFAULT ''`];
