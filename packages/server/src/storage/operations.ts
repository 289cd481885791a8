import type { AuditEntry } from '../core/stores/audit-entry.ts';
import type { Deliveries } from '../core/stores/deliveries.ts';
import type { Entities } from '../core/stores/entities.ts';
import type { EventClaims } from '../core/stores/pipelines.ts';
import { type AuditedChange, auditedChanges, type Journal, type Storage } from '../core/stores/storage.ts';
import type { Operation } from './operation.ts';
import * as accounts from './queries/accounts/accounts.ts';
import * as organisations from './queries/accounts/organisations.ts';
import * as apiKeys from './queries/configuration/api-keys.ts';
import * as audit from './queries/configuration/audit.ts';
import * as destinations from './queries/configuration/destinations.ts';
import * as pipelines from './queries/configuration/pipelines.ts';
import * as sources from './queries/configuration/sources.ts';
import * as backlog from './queries/counters/backlog.ts';
import * as counters from './queries/counters/counters.ts';
import * as deadLetters from './queries/deliveries/dead-letters.ts';
import * as deliveries from './queries/deliveries/deliveries.ts';
import * as deliveryEnds from './queries/deliveries/delivery-ends.ts';
import * as entities from './queries/entities/entities.ts';
import * as entityErasure from './queries/entities/erase.ts';
import * as entityEvents from './queries/entities/events.ts';
import * as entityIndex from './queries/entities/index.ts';
import * as entityLinks from './queries/entities/links.ts';
import * as entityList from './queries/entities/list.ts';
import * as entityWalk from './queries/entities/walk.ts';
import * as claims from './queries/events/claims.ts';
import * as dedupe from './queries/events/dedupe.ts';
import * as labels from './queries/events/labels.ts';
import * as runs from './queries/events/runs.ts';
import * as jobs from './queries/jobs/jobs.ts';
import * as events from './queries/journal/events.ts';
import * as prune from './queries/journal/prune.ts';
import * as deletedOrganisations from './queries/upkeep/deleted-organisations.ts';
import * as upkeep from './queries/upkeep/upkeep.ts';
import type { Db } from './schema.ts';

/** What each engine writes for itself, because speed there hangs on what only that engine can do. */
export type EngineOwned = Pick<Journal, 'append'> &
  Pick<EventClaims, 'claimEvents' | 'settleEvents'> &
  Pick<Entities, 'writeEntities'> &
  Pick<Deliveries, 'claimDeliveries' | 'recordAttempts'>;

type Shared = Omit<Storage, keyof EngineOwned | 'audited'> & {
  changeAudited(
    entries: readonly AuditEntry[],
    name: AuditedChange,
    args: readonly unknown[],
  ): Promise<unknown>;
};
export type OperationName = keyof Shared;

/** Every operation that both engines share, by name. Each runs in one transaction. */
export const operations: { readonly [Name in OperationName]: Operation<Shared[Name]> } = {
  listEvents: events.listEvents,
  findEvent: events.findEvent,
  findEventsOfKey: events.findEventsOfKey,
  pruneEvents: prune.pruneEvents,

  createOrganisation: organisations.createOrganisation,
  listOrganisations: organisations.listOrganisations,
  findOrganisation: organisations.findOrganisation,
  updateOrganisation: organisations.updateOrganisation,
  deleteOrganisation: deletedOrganisations.deleteOrganisation,
  listOrganisationsOf: organisations.listOrganisationsOf,

  hasUsers: accounts.hasUsers,
  createFirstUser: accounts.createFirstUser,
  findUserByEmail: accounts.findUserByEmail,
  setPassword: accounts.setPassword,
  createSession: accounts.createSession,
  findSession: accounts.findSession,
  moveSession: accounts.moveSession,
  deleteSession: accounts.deleteSession,
  listMembers: accounts.listMembers,
  setRole: accounts.setRole,
  removeMember: accounts.removeMember,
  createInvitation: accounts.createInvitation,
  findInvitation: accounts.findInvitation,
  listInvitations: accounts.listInvitations,
  deleteInvitation: accounts.deleteInvitation,
  acceptInvitation: accounts.acceptInvitation,

  createApiKey: apiKeys.createApiKey,
  listApiKeys: apiKeys.listApiKeys,
  findApiKey: apiKeys.findApiKey,
  findApiKeyByHash: apiKeys.findApiKeyByHash,
  renameApiKey: apiKeys.renameApiKey,
  revokeApiKey: apiKeys.revokeApiKey,

  createSource: sources.createSource,
  listSources: sources.listSources,
  findSource: sources.findSource,
  findSourceByTokenHash: sources.findSourceByTokenHash,
  updateSource: sources.updateSource,
  deleteSource: sources.deleteSource,
  recordActivity: sources.recordActivity,
  listRejections: sources.listRejections,

  createPipeline: pipelines.createPipeline,
  listPipelines: pipelines.listPipelines,
  findPipeline: pipelines.findPipeline,
  savePipeline: pipelines.savePipeline,
  enablePipeline: pipelines.enablePipeline,
  deletePipeline: pipelines.deletePipeline,
  listPipelineVersions: pipelines.listPipelineVersions,
  findPipelineVersion: pipelines.findPipelineVersion,
  readProcessing: pipelines.readProcessing,
  readTallies: pipelines.readTallies,

  claimExpired: claims.claimExpired,
  hasExpiredClaims: claims.hasExpiredClaims,
  extendClaims: claims.extendClaims,
  releaseClaims: claims.releaseClaims,
  expireClaims: claims.expireClaims,
  listRuns: runs.listRuns,
  findRetry: runs.findRetry,
  findDedupeKeys: dedupe.findDedupeKeys,
  findLabel: labels.findLabel,
  claimLabel: labels.claimLabel,
  keepLabel: labels.keepLabel,
  releaseLabel: labels.releaseLabel,
  releaseLabels: labels.releaseLabels,
  recordLabelUse: labels.recordLabelUse,

  createJob: jobs.createJob,
  findJob: jobs.findJob,
  listJobs: jobs.listJobs,
  claimJob: jobs.claimJob,
  hasOpenJobs: jobs.hasOpenJobs,
  advanceJob: jobs.advanceJob,
  finishJob: jobs.finishJob,
  hasOutstanding: jobs.hasOutstanding,
  listFirstRuns: runs.listFirstRuns,

  changeAudited,
  recordAudit: audit.recordAudit,
  listAudit: audit.listAudit,
  findAudit: audit.findAudit,

  ...destinations,
  listDeliveries: deliveries.listDeliveries,
  findDelivery: deliveries.findDelivery,
  countDeliveries: deliveries.countDeliveries,
  listAttempts: deliveries.listAttempts,
  listWaitingDestinations: deliveries.listWaitingDestinations,
  releaseDeliveries: deliveries.releaseDeliveries,
  findLeased: deliveries.findLeased,
  recoverDeliveries: deliveries.recoverDeliveries,
  ...deliveryEnds,
  ...deadLetters,

  findEntity: entities.findEntity,
  findTraits: entities.findTraits,
  listEntities: entityList.listEntities,
  deleteEntity: entities.deleteEntity,
  reindexEntities: entityIndex.reindexEntities,
  linkEntities: entityLinks.linkEntities,
  unlinkEntities: entityLinks.unlinkEntities,
  listEntityLinks: entityLinks.listEntityLinks,
  findEntityGraph: entityWalk.findEntityGraph,
  findIdentityMembers: entityWalk.findIdentityMembers,
  listEventsOfEntity: entityEvents.listEventsOfEntity,
  eraseEventsOfEntity: entityErasure.eraseEventsOfEntity,

  ...counters,
  ...backlog,

  keepSetting: upkeep.keepSetting,
  pruneExpired: upkeep.pruneExpired,
  pruneDeleted: deletedOrganisations.pruneDeleted,
  reopenDeleted: deletedOrganisations.reopenDeleted,
  pruneProcessing: prune.pruneProcessing,
  heartbeat: upkeep.heartbeat,
  leave: upkeep.leave,
};

type ChangeResult = Awaited<ReturnType<Storage[AuditedChange]>>;

/** What a change answers in words, and whether it has changed something. */
const hasChanged: Readonly<Record<Extract<ChangeResult, string>, boolean>> = {
  changed: true,
  created: true,
  deleted: true,
  removed: true,
  saved: true,
  already_member: false,
  changed_meanwhile: false,
  last_one: false,
  last_owner: false,
  not_found: false,
  other_account: false,
  version_conflict: false,
};

/** A change and the records of it, in the one transaction that every operation runs in. */
async function changeAudited(
  db: Db,
  entries: readonly AuditEntry[],
  name: AuditedChange,
  args: readonly unknown[],
): Promise<unknown> {
  const change = operations[name] as (db: Db, ...args: readonly unknown[]) => Promise<ChangeResult>;
  const result = await change(db, ...args);
  const isRefused = typeof result === 'string' ? !hasChanged[result] : result === false || result === null;
  if (!isRefused) for (const entry of entries) await audit.recordAudit(db, entry);
  return result;
}

export const operationNames = Object.keys(operations) as OperationName[];

/** By the verb they begin with: an engine may answer these from a copy that only reads. */
export const isRead = (name: OperationName): boolean => /^(list|find|has|read|count)[A-Z]/.test(name);

/** Whether everybody must forget what they keep of keys, sources, organisations and pipelines when this has run. */
export function changesConfiguration(name: OperationName, args: readonly unknown[]): boolean {
  const change = name === 'changeAudited' ? String(args[1]) : name;
  return /(ApiKey|Source|Organisation|Pipeline|Destination)$/.test(change) && !isRead(name);
}

/** Builds the port from one way to run an operation by its name. */
export function toStorage(
  run: (name: OperationName, args: readonly unknown[]) => Promise<unknown>,
  own: EngineOwned,
): Storage {
  const shared = Object.fromEntries(
    operationNames.map(name => [name, (...args: unknown[]) => run(name, args)]),
  ) as unknown as Shared;
  const audited = (...entries: readonly AuditEntry[]) =>
    Object.fromEntries(
      auditedChanges.map(name => [name, (...args: unknown[]) => run('changeAudited', [entries, name, args])]),
    ) as unknown as Pick<Storage, AuditedChange>;
  return { ...shared, ...own, audited };
}
