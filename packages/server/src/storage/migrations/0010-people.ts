/** Invitations know who made them, sessions where they began, and accounts have a second factor. */
export const people = [
  // Null: nobody knows. Of those made before, the audit log knows.
  `ALTER TABLE invitations ADD COLUMN invited_by TEXT`,
  `UPDATE invitations SET invited_by = (
     SELECT users.id FROM audit JOIN users ON users.email = audit.actor
     WHERE audit.org_id = invitations.org_id AND audit.target = invitations.id
       AND audit.action = 'member.invited'
     LIMIT 1)`,
  `ALTER TABLE sessions ADD COLUMN last_used_at BIGINT`,
  `ALTER TABLE sessions ADD COLUMN address TEXT`,
  `ALTER TABLE sessions ADD COLUMN user_agent TEXT`,
  `CREATE INDEX sessions_of_user ON sessions (user_id)`,
  // Apart from the users, so that nothing that reads an account comes by a sealed secret. The last step is that of the
  // last code that was accepted: neither it nor an earlier one is accepted again.
  `CREATE TABLE second_factors (
     user_id TEXT PRIMARY KEY, sealed_secret TEXT NOT NULL, last_step BIGINT NOT NULL, created_at BIGINT NOT NULL)`,
  `CREATE TABLE recovery_codes (
     user_id TEXT NOT NULL, code_hash TEXT NOT NULL, PRIMARY KEY (user_id, code_hash))`,
];
