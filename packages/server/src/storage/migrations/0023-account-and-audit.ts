/** How each person wants times to be written, when each member last logged in, and from where things were done. */
export const accountAndAudit = [
  `ALTER TABLE users ADD COLUMN time_zone TEXT NOT NULL DEFAULT 'local'`,
  `ALTER TABLE users ADD COLUMN clock TEXT NOT NULL DEFAULT '24h'`,
  // Of each organisation: when somebody logs in elsewhere is nothing to this one.
  `ALTER TABLE memberships ADD COLUMN last_login_at BIGINT`,
  `ALTER TABLE audit ADD COLUMN address TEXT`,
  `CREATE INDEX audit_by_actor ON audit (org_id, actor, id)`,
  `CREATE INDEX audit_by_action ON audit (org_id, action, id)`,
  `CREATE INDEX audit_of_target ON audit (org_id, target, id)`,
  // Of logins before, the audit log knows.
  `UPDATE memberships SET last_login_at = (
     SELECT MAX(audit.at) FROM audit
     WHERE audit.org_id = memberships.org_id AND audit.target = memberships.user_id
       AND audit.action = 'session.started')`,
];
