/** Events that the node which accepts them works on at once are stored as claimed, and need no claim beside them. */
export const bornClaimed = [
  `ALTER TABLE events ADD COLUMN claim_token TEXT`,
  // By which the tokens that are in use are found, and each organisation's are counted.
  `CREATE INDEX events_claimed ON events (claim_token, org_id) WHERE state = 'claimed'`,
];
