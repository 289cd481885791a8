import { newId } from '../../ids.ts';

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

/** Changes that people make, each of which is on record. */
export interface Audited<Changes> {
  /**
   * The same changes, each together with the record of it: both are on disk, or neither is. A change that is refused,
   * or finds nothing to change, is not on record.
   */
  audited(...entries: readonly AuditEntry[]): Changes;
}

/** Who changed what. */
export interface AuditLog {
  /** For what changes nothing by itself. */
  recordAudit(entry: AuditEntry): Promise<void>;
  listAudit(orgId: string, page: { limit: number; below: string | null }): Promise<AuditEntry[]>;
  findAudit(orgId: string, id: string): Promise<AuditEntry | null>;
}

/** What concerns a person is on record in each of their organisations. */
export const recordsOfPerson = (
  organisations: readonly { readonly id: string }[],
  entry: Omit<AuditEntry, 'id' | 'orgId'>,
): AuditEntry[] => organisations.map(({ id: orgId }) => ({ ...entry, id: newId('aud', entry.at), orgId }));
