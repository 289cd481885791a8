import { z } from 'zod';
import { moment, textOf } from './event.ts';
import { pagingQuery } from './paging.ts';

/** Private calls about the audit log: who did what, to what, from where. */

/** Everything that is put on record, by the kind of record that it concerns. */
export const auditActions = {
  source: ['source.created', 'source.changed', 'source.secret_rotated', 'source.deleted'],
  pipeline: [
    'pipeline.created',
    'pipeline.changed',
    'pipeline.rolled_back',
    'pipeline.noted',
    'pipeline.deleted',
  ],
  destination: [
    'destination.created',
    'destination.changed',
    'destination.paused',
    'destination.resumed',
    'destination.tested',
    'destination.probed',
    'destination.secret_rotated',
    'destination.deleted',
  ],
  key: ['key.created', 'key.renamed', 'key.revoked'],
  member: [
    'member.invited',
    'member.joined',
    'member.role_changed',
    'member.removed',
    'invitation.withdrawn',
  ],
  account: [
    'session.started',
    'session.ended',
    'login.failed',
    'user.password_changed',
    'user.password_reset',
    'second_factor.turned_on',
    'second_factor.turned_off',
    'recovery_code.used',
    'recovery_codes.replaced',
  ],
  organisation: [
    'organisation.created',
    'organisation.changed',
    'organisation.deleted',
    'configuration.applied',
    'audit.exported',
  ],
  event: ['event.replayed', 'events.replayed', 'event.discarded', 'events.exported'],
  delivery: [
    'delivery.retried',
    'delivery.discarded',
    'dead_letters.retried',
    'dead_letters.discarded',
    'dead_letters.exported',
  ],
  job: ['job.cancelled', 'export.downloaded'],
  test_event: ['test_event.created', 'test_event.changed', 'test_event.deleted'],
  view: ['view.created', 'view.changed', 'view.deleted'],
  entity: ['entity.written', 'entity.changed', 'entity.deleted', 'entity.linked', 'entity.unlinked'],
} as const;

type AuditKind = keyof typeof auditActions;
export type AuditAction = (typeof auditActions)[AuditKind][number];

export const auditKinds = Object.keys(auditActions) as AuditKind[];
const allAuditActions: AuditAction[] = Object.values(auditActions).flat();

/** What the log can be narrowed by; all of it combines with AND. */
export const auditFilter = {
  /** The whole email of a person, or the id of a key. */
  actor: textOf(1, 256).optional(),
  action: z.enum(allAuditActions).optional(),
  kind: z.enum(auditKinds).optional(),
  /** Exclusive. */
  after: moment.optional(),
  before: moment.optional(),
};

export const auditQuery = z.strictObject({ ...auditFilter, ...pagingQuery });
/** As a file: a 409 where more than `MOST_EXPORTED_AT_ONCE` match, which are a job. */
export const auditExportQuery = z.strictObject({
  ...auditFilter,
  format: z.enum(['ndjson', 'csv']).default('ndjson'),
});

const auditRecord = z.object({
  id: z.string(),
  at: z.string(),
  /** The email of a person, the id of a key, or what else acted. */
  actor: z.string(),
  /** The name of the key, where it was one. */
  actor_name: z.string(),
  action: z.string(),
  target: z.string(),
  /** As it is called now, or was called when it was deleted; null where nobody knows. */
  target_name: z.string().nullable(),
  /** The page that shows it; null where there is none, or none any more. */
  target_page: z.string().nullable(),
  /** Where it was done from, for those who look after the members; null for others, and where it is not known. */
  address: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});
export type AuditRecord = z.infer<typeof auditRecord>;
/** Whoever or whatever the log tells of. */
export type AuditActorRecord = Pick<AuditRecord, 'actor' | 'actor_name'>;
