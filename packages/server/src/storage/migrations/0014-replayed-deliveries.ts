/** A dead delivery that a replay made again names the new one, so that nobody retries it beside that. */
export const replayedDeliveries = [`ALTER TABLE deliveries ADD COLUMN replayed_by TEXT`];
