import type { NewEvent } from '../../../src/core/event/event.ts';
import { type IdPrefix, idFloor } from '../../../src/core/ids.ts';
import type { Invitation, NewOrganisation, SessionRecord, User } from '../../../src/core/stores/accounts.ts';
import type { ApiKey } from '../../../src/core/stores/configuration/api-keys.ts';
import type { AuditEntry } from '../../../src/core/stores/configuration/audit.ts';
import type { SdkSource, WebhookSource } from '../../../src/core/stores/configuration/sources.ts';
import type { AppendRequest, AppendResult, IdempotencyClaim } from '../../../src/core/stores/journal.ts';
import type { EveryStore } from '../../support/every-store.ts';

/** Things to store, each unlike any other. A test names only what it is about. */

export const NOW = Date.UTC(2026, 4, 1, 12);

let made = 0;
const word = (): string => `sample-${++made}`;

/** An id of that moment; later ones of the same moment sort after earlier ones, as at the ingest endpoints. */
export const idAt = (prefix: IdPrefix, at: number): string =>
  idFloor(prefix, at).slice(0, -10) + String(++made).padStart(10, '0');

export const anEvent = (given: Partial<NewEvent> = {}): NewEvent => ({
  id: idAt('evt', NOW),
  type: 'order.created',
  icon: null,
  payload: '{}',
  senderId: null,
  entityKind: null,
  entityExternalId: null,
  happenedAt: NOW,
  ...given,
});

export const aRequest = (
  orgId: string,
  events: readonly NewEvent[],
  given: Partial<AppendRequest> = {},
): AppendRequest => ({ orgId, sourceId: null, receivedAt: NOW, events, idempotency: null, ...given });

export const aClaim = (scope: string, given: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  scope,
  key: word(),
  bodyHash: 'hash of a body',
  expiresAt: NOW + 1_000,
  ...given,
});

export const fresh = (...ids: string[]): AppendResult => ({
  kind: 'stored',
  events: ids.map(id => ({ id, duplicate: false })),
});

export const repeated = (...ids: string[]): AppendResult => ({
  kind: 'stored',
  events: ids.map(id => ({ id, duplicate: true })),
});

export const anOrganisation = (given: Partial<NewOrganisation> = {}): NewOrganisation => ({
  id: idAt('org', NOW),
  name: word(),
  retentionDays: null,
  searchableTraits: [],
  createdAt: NOW,
  ...given,
});

export const aUser = (given: Partial<User> = {}): User => {
  const id = idAt('usr', NOW);
  return { id, email: `${word()}@example.com`, passwordHash: 'a hash', createdAt: NOW, ...given };
};

/** An organisation in the database, without anybody in it. */
export async function storedOrganisation(storage: EveryStore): Promise<string> {
  const org = anOrganisation();
  await storage.createOrganisation(org, idAt('usr', NOW));
  return org.id;
}

/** A person with an account, in an organisation that they own. */
export async function storedOwner(storage: EveryStore): Promise<{ org: NewOrganisation; user: User }> {
  const org = anOrganisation();
  const user = aUser();
  if (await storage.createFirstUser(user, org)) return { org, user };
  await storage.createOrganisation(org, idAt('usr', NOW));
  return { org, user: await joinedMember(storage, org.id, 'owner', user) };
}

/** A new member, who came the only way there is: by an invitation. */
export async function joinedMember(
  storage: EveryStore,
  orgId: string,
  role: Invitation['role'],
  user: User = aUser(),
): Promise<User> {
  const invitation = anInvitation(orgId, { email: user.email, role });
  await storage.createInvitation(invitation);
  await storage.acceptInvitation(invitation.codeHash, NOW, user);
  return user;
}

export const anInvitation = (orgId: string, given: Partial<Invitation> = {}): Invitation => ({
  id: idAt('inv', NOW),
  orgId,
  email: `${word()}@example.com`,
  role: 'member',
  codeHash: word(),
  createdAt: NOW,
  expiresAt: NOW + 1_000,
  invitedBy: null,
  ...given,
});

export const aSession = (
  userId: string,
  orgId: string,
  given: Partial<SessionRecord> = {},
): SessionRecord => ({
  tokenHash: word(),
  userId,
  orgId,
  createdAt: NOW,
  expiresAt: NOW + 1_000,
  ...given,
});

export const anApiKey = (orgId: string, given: Partial<ApiKey> = {}): ApiKey => ({
  id: idAt('key', NOW),
  orgId,
  name: word(),
  prefix: 'sk_abcde',
  hash: word(),
  createdAt: NOW,
  lastUsedAt: null,
  revokedAt: null,
  ...given,
});

export const aWebhookSource = (orgId: string, given: Partial<WebhookSource> = {}): WebhookSource => ({
  kind: 'webhook',
  id: idAt('src', NOW),
  orgId,
  name: word(),
  enabled: true,
  tokenHash: word(),
  sealedToken: 'a sealed token',
  auth: 'hmac',
  sealedSecret: 'a sealed secret',
  previousSealedSecret: null,
  previousSecretUntil: null,
  ratePerSecond: 0.5,
  rateBurst: 200,
  provider: null,
  providerOptions: {},
  sealedVerifyToken: null,
  typeFrom: null,
  createdAt: NOW,
  updatedAt: NOW,
  lastEventAt: null,
  ...given,
});

export const anSdkSource = (orgId: string, given: Partial<SdkSource> = {}): SdkSource => ({
  kind: 'sdk',
  id: idAt('src', NOW),
  orgId,
  name: word(),
  enabled: true,
  match: 'order.*',
  createdAt: NOW,
  updatedAt: NOW,
  lastEventAt: null,
  ...given,
});

export const memberOf = async (storage: EveryStore, orgId: string, userId: string) =>
  (await storage.listMembers(orgId)).find(member => member.userId === userId);

export const anAuditEntry = (orgId: string, given: Partial<AuditEntry> = {}): AuditEntry => ({
  id: idAt('aud', NOW),
  orgId,
  at: NOW,
  actor: 'ada@example.com',
  action: 'source.created',
  target: word(),
  address: null,
  details: { name: 'Shop' },
  ...given,
});

/** What is left of deleted organisations goes, in slices of one row. Answers how many slices it took. */
export async function removeDeleted(storage: EveryStore, now = NOW): Promise<number> {
  let slices = 0;
  while ((await storage.pruneDeleted(now, 1)) > 0) slices++;
  return slices;
}
