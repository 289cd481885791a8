/**
 * The index of searchable traits as one tree in the order of its lists. What it holds of an entity follows from the
 * entity's row, so nobody has to find it by the entity: the table beside the index, and the key of that, were two more
 * trees that every write of an entity had to change.
 */
export const traitsInOrder = [
  `ALTER TABLE entity_traits RENAME TO former_entity_traits`,
  `CREATE TABLE entity_traits (
     org_id TEXT NOT NULL, trait TEXT NOT NULL, value TEXT NOT NULL, kind TEXT NOT NULL, changed BIGINT NOT NULL,
     entity_id TEXT NOT NULL, PRIMARY KEY (org_id, trait, value, kind, changed, entity_id)) WITHOUT ROWID`,
  `INSERT INTO entity_traits (org_id, trait, value, kind, changed, entity_id)
     SELECT org_id, trait, value, kind, changed, entity_id FROM former_entity_traits
     ORDER BY org_id, trait, value, kind, changed, entity_id`,
  `DROP TABLE former_entity_traits`,
];
