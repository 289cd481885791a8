/** Who changed what, and when. */
export interface AuditEntry {
  readonly id: string;
  readonly orgId: string;
  readonly at: number;
  readonly actor: string;
  /** `source.created`, `key.revoked`, … */
  readonly action: string;
  readonly target: string;
  readonly details: Readonly<Record<string, unknown>>;
}
