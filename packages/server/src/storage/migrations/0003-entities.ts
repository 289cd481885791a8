/** Whom events are about, how those belong together, and what became of the payloads that had to go. */
export const entities = [
  // `changed` is microseconds whose last three digits count the changes of one millisecond: no two changes of a
  // node are the same, so lists have an order that says which came last. `indexed_as` names the searchable traits
  // that `entity_traits` holds of this row; where it is not the organisation's present set, the row waits for that.
  `CREATE TABLE entities (
     id TEXT PRIMARY KEY, org_id TEXT NOT NULL, kind TEXT NOT NULL, external_id TEXT NOT NULL, traits TEXT NOT NULL,
     trait_times TEXT NOT NULL, version BIGINT NOT NULL, created_at BIGINT NOT NULL, changed BIGINT NOT NULL,
     indexed_as TEXT NOT NULL)`,
  // Few indexes, since every change of an entity moves it in each one that its change stands in: a list of all kinds
  // is merged from the lists of each.
  `CREATE UNIQUE INDEX entities_by_key ON entities (org_id, external_id, kind)`,
  `CREATE INDEX entities_of_kind ON entities (org_id, kind, changed, id)`,
  `CREATE INDEX entities_by_index ON entities (org_id, indexed_as)`,

  // Only the traits that an organisation declares searchable. Kind and change stand here too, so that a list
  // filtered by kind and one trait is read off this index in its own order.
  `CREATE TABLE entity_traits (
     org_id TEXT NOT NULL, entity_id TEXT NOT NULL, trait TEXT NOT NULL, value TEXT NOT NULL, kind TEXT NOT NULL,
     changed BIGINT NOT NULL, PRIMARY KEY (entity_id, trait))`,
  `CREATE INDEX entity_traits_by_value ON entity_traits (org_id, trait, value, kind, changed, entity_id)`,

  // Whoever links two entities keeps them from being deleted meanwhile, and nothing else: that is what a foreign
  // key does in PostgreSQL. SQLite has one writer, and does not look at it.
  `CREATE TABLE entity_links (
     org_id TEXT NOT NULL, from_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE, relation TEXT NOT NULL,
     to_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE, created_at BIGINT NOT NULL,
     PRIMARY KEY (from_id, relation, to_id))`,
  `CREATE INDEX entity_links_backwards ON entity_links (to_id, relation, from_id)`,
  // Whichever end was named first, two entities are the same once.
  `CREATE UNIQUE INDEX entity_links_same_once ON entity_links (org_id,
     (CASE WHEN from_id < to_id THEN from_id ELSE to_id END), (CASE WHEN from_id < to_id THEN to_id ELSE from_id END))
     WHERE relation = 'same_as'`,

  `ALTER TABLE events ADD COLUMN erased_at BIGINT`,
];
