import type { EventState, NewEvent, StoredEvent } from '../event/event.ts';
import type { AuditEntry } from './audit-entry.ts';
import type { Counters } from './counters.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { DeliveryStorage } from './deliveries.ts';
import type { Entities } from './entities.ts';
import type { PipelineStorage } from './pipelines.ts';

/**
 * What the stages ask of storage. Each method is one named operation: it either happened and is on disk, or it
 * did not happen. Both engines implement all of them and pass `test/contract/storage`.
 */
export interface Storage
  extends Journal,
    Organisations,
    Accounts,
    ApiKeys,
    Sources,
    AuditLog,
    Upkeep,
    PipelineStorage,
    Entities,
    DeliveryStorage,
    DeadLetters,
    Counters {}

// --- The journal -----------------------------------------------------------------------------------------

export interface AppendRequest {
  readonly orgId: string;
  /** The webhook source it came through; null at `/v1/ingest`. */
  readonly sourceId: string | null;
  readonly receivedAt: number;
  readonly events: readonly NewEvent[];
  readonly idempotency: IdempotencyClaim | null;
}

export interface IdempotencyClaim {
  /** The organisation at `/v1/ingest`, the source at `/whk`. */
  readonly scope: string;
  readonly key: string;
  /** Digest of the body, where another body under the same key is a conflict; null where it is not. */
  readonly bodyHash: string | null;
  readonly expiresAt: number;
}

export type AppendResult =
  | {
      readonly kind: 'stored';
      readonly events: readonly { readonly id: string; readonly duplicate: boolean }[];
    }
  | { readonly kind: 'conflict' };

export interface EventFilter {
  readonly state?: EventState | undefined;
  readonly source?: string | undefined;
  readonly type?: string | undefined;
  /** Has a run by this pipeline, or a delivery to this destination. */
  readonly pipeline?: string | undefined;
  readonly destination?: string | undefined;
  readonly entity?: { readonly kind: string; readonly externalId: string } | undefined;
  readonly text?: string | undefined;
  /** Received after / before, exclusive. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** Go on below this id; null at the end. */
  readonly next: string | null;
  /** How far back the search has come when its time was up before the page was full. */
  readonly searchedTo: number | null;
}

export interface PruneCutoffs {
  /** What was received before goes. */
  readonly before: number;
  /** Where it failed, or a delivery of it is dead, this counts: when it was received, or when that died. */
  readonly deadBefore: number;
}

export interface Journal {
  /** Resolves once all of it is on stable storage. One result per request, in order. */
  append(requests: readonly AppendRequest[]): Promise<AppendResult[]>;
  /** The ids of the events that came under this idempotency key, while it counts. */
  findEventsOfKey(scope: string, key: string, now: number): Promise<string[] | null>;
  listEvents(
    orgId: string,
    filter: EventFilter,
    page: { limit: number; below: string | null; budgetMs: number },
  ): Promise<EventPage>;
  findEvent(
    orgId: string,
    id: string,
  ): Promise<(StoredEvent & { readonly payload: string; readonly erasedAt: number | null }) | null>;
  /**
   * Looks at the next `limit` events after `after`, oldest first, and removes those that are past their time with all
   * that became of them. What has not been processed stays, and what has a delivery that is still open. Answers
   * where to go on; null at the end.
   */
  pruneEvents(
    orgId: string,
    cutoffs: PruneCutoffs,
    slice: { readonly after: string | null; readonly limit: number },
  ): Promise<{ readonly removed: number; readonly next: string | null }>;
}

// --- Organisations and people ----------------------------------------------------------------------------

export interface Organisation {
  readonly id: string;
  readonly name: string;
  /** null: the installation's default. */
  readonly retentionDays: number | null;
  readonly searchableTraits: readonly string[];
  readonly createdAt: number;
}

export const roles = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export interface Organisations {
  createOrganisation(org: Organisation, ownerId: string): Promise<void>;
  listOrganisations(): Promise<Organisation[]>;
  findOrganisation(id: string): Promise<Organisation | null>;
  updateOrganisation(
    id: string,
    change: Partial<Pick<Organisation, 'name' | 'retentionDays' | 'searchableTraits'>>,
  ): Promise<boolean>;
  /**
   * Nothing answers for the organisation any more from now on; what it leaves behind goes by `pruneDeleted`. The last
   * organisation of an installation stays.
   */
  deleteOrganisation(id: string, now: number): Promise<'deleted' | 'last_one' | 'not_found'>;
  listOrganisationsOf(userId: string): Promise<(Organisation & { role: Role })[]>;
}

export interface User {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly createdAt: number;
}

export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: number;
}

export interface Invitation {
  readonly id: string;
  readonly orgId: string;
  readonly email: string;
  readonly role: Role;
  readonly codeHash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface SessionRecord {
  readonly tokenHash: string;
  readonly userId: string;
  readonly orgId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface Accounts {
  hasUsers(): Promise<boolean>;
  /** The first user and organisation in one step; false when somebody was first. */
  createFirstUser(user: User, org: Organisation): Promise<boolean>;
  findUserByEmail(email: string): Promise<User | null>;
  setPassword(userId: string, passwordHash: string): Promise<void>;

  createSession(session: SessionRecord): Promise<void>;
  /** The session with the person's present role there; null when expired, ended, or no longer a member. */
  findSession(
    tokenHash: string,
    now: number,
  ): Promise<(SessionRecord & { email: string; role: Role; orgName: string }) | null>;
  moveSession(tokenHash: string, orgId: string): Promise<void>;
  deleteSession(tokenHash: string): Promise<void>;

  listMembers(orgId: string): Promise<Member[]>;
  /** An organisation never loses its last owner. */
  setRole(orgId: string, userId: string, role: Role): Promise<'changed' | 'last_owner' | 'not_found'>;
  removeMember(orgId: string, userId: string): Promise<'removed' | 'last_owner' | 'not_found'>;
  createInvitation(invitation: Invitation): Promise<'created' | 'already_member'>;
  findInvitation(codeHash: string, now: number): Promise<(Invitation & { hasAccount: boolean }) | null>;
  listInvitations(orgId: string, now: number): Promise<Invitation[]>;
  deleteInvitation(orgId: string, id: string): Promise<boolean>;
  /**
   * The invitation is spent and the person is a member; null when it was spent or has expired. Where its e-mail has
   * another account than this one, nothing happens: whoever accepts has not proved to be that one.
   */
  acceptInvitation(
    codeHash: string,
    now: number,
    account: User,
  ): Promise<{ userId: string; orgId: string } | 'other_account' | null>;
}

export interface ApiKey {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  /** The first characters, to tell keys apart. */
  readonly prefix: string;
  readonly hash: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

export interface ApiKeys {
  createApiKey(key: ApiKey): Promise<void>;
  listApiKeys(orgId: string): Promise<ApiKey[]>;
  findApiKey(orgId: string, id: string): Promise<ApiKey | null>;
  /** Only a key that is not revoked. */
  findApiKeyByHash(hash: string): Promise<ApiKey | null>;
  renameApiKey(orgId: string, id: string, name: string): Promise<boolean>;
  revokeApiKey(orgId: string, id: string, at: number): Promise<boolean>;
}

// --- Sources ---------------------------------------------------------------------------------------------

export const authModes = ['hmac', 'bearer', 'none'] as const;
export type AuthMode = (typeof authModes)[number];

interface SourceBase {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastEventAt: number | null;
}

export interface WebhookSource extends SourceBase {
  readonly kind: 'webhook';
  readonly tokenHash: string;
  readonly sealedToken: string;
  readonly auth: AuthMode;
  readonly sealedSecret: string;
  /** While a secret is being rotated, the one before still holds until then. */
  readonly previousSealedSecret: string | null;
  readonly previousSecretUntil: number | null;
  /** 0 is unlimited. */
  readonly ratePerSecond: number;
  readonly rateBurst: number;
}

export interface SdkSource extends SourceBase {
  readonly kind: 'sdk';
  /** An exact event type or a glob. */
  readonly match: string;
}

export type Source = WebhookSource | SdkSource;

export type SourceChange = Partial<
  Pick<
    WebhookSource,
    | 'name'
    | 'enabled'
    | 'auth'
    | 'sealedSecret'
    | 'previousSealedSecret'
    | 'previousSecretUntil'
    | 'ratePerSecond'
    | 'rateBurst'
  > &
    Pick<SdkSource, 'match'>
>;

/** A request that a source refused: when and why, never its body. */
export interface Rejection {
  readonly sourceId: string;
  readonly orgId: string;
  readonly at: number;
  readonly code: string;
  readonly message: string;
}

/** What the doors saw since the last time they told: written in one go, every second or so. */
export interface Activity {
  readonly keysUsed: readonly { readonly id: string; readonly at: number }[];
  readonly sourcesSeen: readonly { readonly id: string; readonly at: number }[];
  readonly rejections: readonly Rejection[];
}

export interface Sources {
  createSource(source: Source): Promise<void>;
  listSources(orgId: string): Promise<Source[]>;
  findSource(orgId: string, id: string): Promise<Source | null>;
  findSourceByTokenHash(tokenHash: string): Promise<WebhookSource | null>;
  updateSource(orgId: string, id: string, change: SourceChange, at: number): Promise<boolean>;
  /** Takes it out of its pipelines, each in a new version. */
  deleteSource(orgId: string, id: string, by: string, at: number): Promise<boolean>;
  recordActivity(activity: Activity): Promise<void>;
  /** Newest first; a source keeps its last 1,000. */
  listRejections(orgId: string, sourceId: string, limit: number): Promise<Rejection[]>;
}

// --- Audit and upkeep ------------------------------------------------------------------------------------

/** Changes that people make, each of which is on record. */
export const auditedChanges = [
  'createOrganisation',
  'updateOrganisation',
  'deleteOrganisation',
  'createFirstUser',
  'setPassword',
  'setRole',
  'removeMember',
  'createInvitation',
  'deleteInvitation',
  'acceptInvitation',
  'createApiKey',
  'renameApiKey',
  'revokeApiKey',
  'createSource',
  'updateSource',
  'deleteSource',
  'createPipeline',
  'savePipeline',
  'enablePipeline',
  'deletePipeline',
  'createDestination',
  'updateDestination',
  'deleteDestination',
  'retryDelivery',
  'discardDelivery',
  'discardFailedEvent',
  'createJob',
  'finishJob',
  'deleteEntity',
] as const satisfies readonly (keyof Storage)[];

export type AuditedChange = (typeof auditedChanges)[number];

export interface AuditLog {
  /**
   * The same changes, each together with the record of it: both are on disk, or neither is. A change that is refused,
   * or finds nothing to change, is not on record.
   */
  audited(...entries: readonly AuditEntry[]): Pick<Storage, AuditedChange>;
  /** For what changes nothing by itself. */
  recordAudit(entry: AuditEntry): Promise<void>;
  listAudit(orgId: string, page: { limit: number; below: string | null }): Promise<AuditEntry[]>;
  findAudit(orgId: string, id: string): Promise<AuditEntry | null>;
}

export interface Upkeep {
  /**
   * Small facts about the installation itself, such as the check value of the secret key: keeps the first value ever
   * written under that name, and answers it.
   */
  keepSetting(name: string, value: string): Promise<string>;
  /** Removes at most `limit` keys, sessions and invitations that have expired; answers how many. */
  pruneExpired(now: number, limit: number): Promise<number>;
  /**
   * Removes about `limit` rows that deleted organisations left behind, and answers how many; 0 when nothing is left. It
   * goes on where it was, whatever happened in between.
   */
  pruneDeleted(now: number, limit: number): Promise<number>;
  /** Lets `pruneDeleted` take up again what was written for a deleted organisation after nothing of it was left. */
  reopenDeleted(): Promise<void>;
  /**
   * Removes at most `limit` of each: dedupe keys that have expired, labels that nobody has used and jobs that were
   * finished since the cutoff, and what is left of pipelines that are gone. Answers how many at most of one sort.
   */
  pruneProcessing(now: number, unusedSince: number, limit: number): Promise<number>;
  /** This node is alive; answers the roles of every node that is, itself included. */
  heartbeat(
    node: { readonly id: string; readonly roles: readonly string[] },
    now: number,
  ): Promise<string[][]>;
  /** This node is about to end: what it took a share of belongs to the others at once. */
  leave(nodeId: string): Promise<void>;
}

export interface StorageSize {
  readonly engine: 'sqlite' | 'postgres';
  readonly bytes: number;
  readonly freeBytes: number | null;
}

/** An engine: storage that can be opened, closed and asked how it is. */
export interface StorageEngine {
  readonly storage: Storage;
  /** Rejects with the reason while storage cannot be written. */
  checkWritable(): Promise<void>;
  /** What it is, how much it holds, and how much room is left where that can be known. */
  measure(): Promise<StorageSize>;
  /** Calls back when another node changed keys, sources or organisations. */
  onConfigurationChanged(listener: () => void): void;
  /** Whether configuration read a moment ago may be trusted: false while changes elsewhere cannot be heard of. */
  changeFeedIsLive(): boolean;
  close(): Promise<void>;
}
