/** A claim belongs to the node whose id its token begins with, for as long as that node lives. */
export const claimsOfNodes = [
  // Free is what has no token. Suspects, whose node has died, are few and are looked for all the time.
  `ALTER TABLE event_claims DROP COLUMN until`,
  `CREATE INDEX event_claims_free ON event_claims (tries, event_id) WHERE token = ''`,
  // By which the tokens that are in use are found, in place of when leases ended.
  `DROP INDEX deliveries_leased`,
  `CREATE INDEX deliveries_claimed ON deliveries (lease_token) WHERE state = 'delivering'`,
  `ALTER TABLE labels ADD COLUMN lease_token TEXT NOT NULL DEFAULT ''`,
  `CREATE INDEX labels_claimed ON labels (lease_token) WHERE label IS NULL`,
  // These were seen by clocks of their own.
  `DELETE FROM nodes`,
];
