/** What the operator sees of each node: what it is, where it runs, since when, and how much it does. */
export const nodesAtWork = [
  `ALTER TABLE nodes ADD COLUMN version TEXT NOT NULL DEFAULT ''`,
  `ALTER TABLE nodes ADD COLUMN host TEXT NOT NULL DEFAULT ''`,
  `ALTER TABLE nodes ADD COLUMN joined_at BIGINT NOT NULL DEFAULT 0`,
  // Of the time between its last two heartbeats, for each second.
  `ALTER TABLE nodes ADD COLUMN accepted_rate DOUBLE PRECISION NOT NULL DEFAULT 0`,
  `ALTER TABLE nodes ADD COLUMN processed_rate DOUBLE PRECISION NOT NULL DEFAULT 0`,
  `ALTER TABLE nodes ADD COLUMN delivered_rate DOUBLE PRECISION NOT NULL DEFAULT 0`,
];
