/** Indexes that are written once for each delivery, where they were written again whenever its state changed. */
export const endedDeliveries = [
  // On PostgreSQL a row that changes is entered again into every index that holds it. What is open has others.
  `CREATE INDEX deliveries_ended ON deliveries (org_id, destination_id, id) WHERE finished_at IS NOT NULL`,
  `DROP INDEX deliveries_of_destination`,
  // No two rows share a key: all that could be deduplicated are versions of one row, over and over, on full pages.
  `ALTER INDEX events_pkey SET (deduplicate_items = off)`,
  `ALTER INDEX deliveries_pkey SET (deduplicate_items = off)`,
];
