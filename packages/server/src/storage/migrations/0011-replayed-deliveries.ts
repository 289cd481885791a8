/** Replayed deliveries, and events that wait to be tried again. */
export const replayedDeliveries = [
  // A dead delivery that a replay made again names the new one.
  `ALTER TABLE deliveries ADD COLUMN replayed_by TEXT`,
  // They are counted as they are listed, also while somebody works on them.
  `CREATE INDEX events_deferred ON events (org_id, id) WHERE state = 'deferred'`,
];
