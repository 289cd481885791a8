/** Received headers of webhook events; providers, schemes and rules for types of webhook sources. */
export const providers = [
  `ALTER TABLE events ADD COLUMN headers TEXT`,
  `ALTER TABLE sources ADD COLUMN provider TEXT`,
  // JSON, each: what a provider asks for beside its secret, and where the type of an event is taken from.
  `ALTER TABLE sources ADD COLUMN provider_options TEXT`,
  `ALTER TABLE sources ADD COLUMN type_from TEXT`,
  `ALTER TABLE sources ADD COLUMN sealed_verify_token TEXT`,
];
