import type { Journal, Storage } from '../core/ports.ts';
import type { Operation } from './operation.ts';
import * as accounts from './queries/accounts.ts';
import * as apiKeys from './queries/api-keys.ts';
import * as audit from './queries/audit.ts';
import * as events from './queries/events.ts';
import * as organisations from './queries/organisations.ts';
import * as sources from './queries/sources.ts';
import * as upkeep from './queries/upkeep.ts';

/** What each engine writes for itself, because speed there hangs on what only that engine can do. */
export type EngineOwned = Pick<Journal, 'append'>;

type Shared = Omit<Storage, keyof EngineOwned>;
export type OperationName = keyof Shared;

/** Every operation that both engines share, by name. Each runs in one transaction. */
export const operations: { readonly [Name in OperationName]: Operation<Shared[Name]> } = {
  listEvents: events.listEvents,
  findEvent: events.findEvent,
  pruneEvents: events.pruneEvents,

  createOrganisation: organisations.createOrganisation,
  listOrganisations: organisations.listOrganisations,
  findOrganisation: organisations.findOrganisation,
  updateOrganisation: organisations.updateOrganisation,
  deleteOrganisation: organisations.deleteOrganisation,
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
  findMember: accounts.findMember,
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

  recordAudit: audit.recordAudit,
  listAudit: audit.listAudit,
  findAudit: audit.findAudit,

  readSetting: upkeep.readSetting,
  keepSetting: upkeep.keepSetting,
  pruneExpired: upkeep.pruneExpired,
  heartbeat: upkeep.heartbeat,
};

export const operationNames = Object.keys(operations) as OperationName[];

/** By the verb they begin with: an engine may answer these from a copy that only reads. */
export const isRead = (name: OperationName): boolean => /^(list|find|has|read)[A-Z]/.test(name);

/** Whether the doors must forget what they keep of keys, sources and organisations when this has run. */
export const changesConfiguration = (name: OperationName): boolean =>
  /(ApiKey|Source|Organisation)$/.test(name) && !isRead(name);

/** Builds the port from one way to run an operation by its name. */
export function toStorage(
  run: (name: OperationName, args: readonly unknown[]) => Promise<unknown>,
  own: EngineOwned,
): Storage {
  const shared = Object.fromEntries(
    operationNames.map(name => [name, (...args: unknown[]) => run(name, args)]),
  ) as unknown as Shared;
  return { ...shared, ...own };
}
