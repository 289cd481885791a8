/** Leases of jobs have tokens; what waits for a destination has indexes by its state. */
export const fencedJobsAndWaitingDeliveries = [
  // Whoever works on a job shows what it was claimed with, so that nobody goes on with one that another has taken over.
  `ALTER TABLE jobs ADD COLUMN lease_token TEXT NOT NULL DEFAULT ''`,
  // What waits is looked for by its state and by its destination, which may be paused. One such index is written and
  // left by every delivery, as the one of all that were open was; the other only by those that failed once.
  `CREATE INDEX deliveries_pending ON deliveries (destination_id, id) WHERE state = 'pending'`,
  `CREATE INDEX deliveries_retrying ON deliveries (destination_id, id) WHERE state = 'retrying'`,
  `DROP INDEX deliveries_open`,
  // An organisation that is deleted stays known, for what somebody who was held up writes long after it has gone.
  `ALTER TABLE deleted_organisations ADD COLUMN emptied_at BIGINT`,
];
