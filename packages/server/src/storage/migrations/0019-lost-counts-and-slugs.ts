/** What the dashboard asks for: figures that are right after a kill, and names of organisations for its addresses. */
export const lostCountsAndSlugs = [
  // Nodes that were declared dead, until what they had counted and not written is counted again.
  `CREATE TABLE lost_counts (node_id TEXT NOT NULL PRIMARY KEY, seen_at BIGINT NOT NULL, buried_at BIGINT NOT NULL)`,
  // Made from the name, which SQL cannot do alike on both engines: those of before get theirs when the service starts.
  `ALTER TABLE organisations ADD COLUMN slug TEXT`,
  `CREATE UNIQUE INDEX organisations_by_slug ON organisations (slug) WHERE slug IS NOT NULL`,
  // Where somebody was last, to which the next login leads.
  `ALTER TABLE users ADD COLUMN last_org_id TEXT`,
];
