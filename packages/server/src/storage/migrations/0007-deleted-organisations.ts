/** Organisations that are gone for everybody, whose rows are still being removed. */
export const deletedOrganisations = [
  // `scopes` names what its idempotency keys stand under: the organisation itself, and its sources.
  `CREATE TABLE deleted_organisations (
     org_id TEXT PRIMARY KEY, deleted_at BIGINT NOT NULL, scopes TEXT NOT NULL)`,
];
