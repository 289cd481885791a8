/** What the dashboard asks for: figures that are right after a kill, and names of organisations for its addresses. */
export const lostCountsAndSlugs = [
  // Nodes that were declared dead, until what they had counted and not written is counted again.
  `CREATE TABLE lost_counts (node_id TEXT NOT NULL PRIMARY KEY, seen_at BIGINT NOT NULL, buried_at BIGINT NOT NULL)`,
];
