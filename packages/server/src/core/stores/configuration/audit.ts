import type { AuditAction } from '@sluice/contract/dashboard-audit';
import { newId } from '../../ids.ts';

/** Who changed what, and when. */
export interface AuditEntry {
  readonly id: string;
  readonly orgId: string;
  readonly at: number;
  readonly actor: string;
  readonly action: AuditAction;
  readonly target: string;
  /** Where it was done from; null where that is not known. */
  readonly address: string | null;
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
  /** Newest first. */
  listAudit(
    orgId: string,
    page: { readonly limit: number; readonly below: string | null },
    filter?: AuditFilter,
  ): Promise<AuditEntry[]>;
  /** Counts no further than `most`. */
  countAudit(orgId: string, filter: AuditFilter, most: number): Promise<number>;
  /** Everybody and everything that acted, each once, as long as the log tells of it. */
  listAuditActors(orgId: string, most: number): Promise<string[]>;
  findAudit(orgId: string, id: string): Promise<AuditEntry | null>;
  /** What is called by these ids in the log: as it is named now, or was when it went. What nobody knows is left out. */
  nameAuditTargets(orgId: string, ids: readonly string[]): Promise<AuditTarget[]>;
}

/** All of it combines; `after` and `before` are exclusive. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  readonly actions?: readonly string[] | undefined;
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}

export interface AuditTarget {
  readonly id: string;
  readonly name: string;
  /** It was deleted, or has left. */
  readonly isGone: boolean;
}

/** What concerns a person is on record in each of their organisations. */
export const recordsOfPerson = (
  organisations: readonly { readonly id: string }[],
  entry: Omit<AuditEntry, 'id' | 'orgId'>,
): AuditEntry[] => organisations.map(({ id: orgId }) => ({ ...entry, id: newId('aud', entry.at), orgId }));
