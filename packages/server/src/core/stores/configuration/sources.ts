import type { SourceScheme, TypeFrom } from '@sluice/contract/dashboard-providers';
import type { SecretPlace } from '../../secrets/vault.ts';

/** Sources as they are stored, and the store that keeps them. */

export type AuthMode = 'hmac' | 'bearer' | 'none' | 'provider' | 'custom';

/** What a provider asks for beside its secret, and a scheme of one's own. None of it is secret. */
export interface ProviderOptions {
  readonly url?: string;
  readonly publicKey?: string;
  readonly verifyWith?: 'none' | 'bearer' | 'hmac';
  readonly scheme?: SourceScheme;
}

interface SourceBase {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastEventAt: number | null;
}

/** A source that others send to. */
interface SentSource extends SourceBase {
  /** An event is expected at least every so many minutes; null or absent: whenever one comes. */
  readonly expectEveryMinutes?: number | null;
}

export interface WebhookSource extends SentSource {
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
  /** Of the mode `provider`: whose scheme it is. */
  readonly provider: string | null;
  readonly providerOptions: ProviderOptions;
  /** What a provider that asks for the address shows in doing so. */
  readonly sealedVerifyToken: string | null;
  /** Where the type of its events is taken from; null: as its provider says, or the body. */
  readonly typeFrom: TypeFrom | null;
}

export interface SdkSource extends SentSource {
  readonly kind: 'sdk';
  /** An exact event type or a glob. */
  readonly match: string;
}

/** What the service says of itself comes from here: every organisation has one, and nobody sends to it. */
interface SystemSource extends SourceBase {
  readonly kind: 'system';
}

export type Source = WebhookSource | SdkSource | SystemSource;

export type SourceSecretField = 'token' | 'secret' | 'previous_secret' | 'verify_token';

/** Where a secret of a source belongs, for the vault. */
export const sourceSecret = (
  { orgId, id }: Pick<Source, 'orgId' | 'id'>,
  field: SourceSecretField,
): SecretPlace => ({ orgId, id, field });

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
    | 'provider'
    | 'providerOptions'
    | 'sealedVerifyToken'
    | 'typeFrom'
    | 'expectEveryMinutes'
  > &
    Pick<SdkSource, 'match'>
>;

/** A request that a source refused: when, why and who sent it, never its body. */
export interface Rejection {
  readonly sourceId: string;
  readonly orgId: string;
  readonly at: number;
  readonly code: string;
  readonly message: string;
  /** Where it came from; null where that is not known. */
  readonly address: string | null;
  /** JSON text of the headers that are safe to keep; null where they were not kept. */
  readonly headers: string | null;
}

/** Requests that a source refused for the same reason. */
interface RejectionGroup {
  readonly code: string;
  readonly message: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The latest of them, newest first. */
  readonly latest: readonly Rejection[];
}

/** What the ingest endpoints saw since the last record: written in one go, every second or so. */
export interface Activity {
  readonly keysUsed: readonly { readonly id: string; readonly at: number }[];
  readonly sourcesSeen: readonly { readonly id: string; readonly at: number }[];
  readonly rejections: readonly Rejection[];
}

/** Where events come from, and what the endpoints saw of each source. */
export interface SourceStore {
  createSource(source: Source): Promise<void>;
  listSources(orgId: string): Promise<Source[]>;
  findSource(orgId: string, id: string): Promise<Source | null>;
  findSourceByTokenHash(tokenHash: string): Promise<WebhookSource | null>;
  updateSource(orgId: string, id: string, change: SourceChange, at: number): Promise<boolean>;
  /** Takes it out of its pipelines, each in a new version. That of the system events stays. */
  deleteSource(orgId: string, id: string, by: string, at: number): Promise<boolean>;
  recordActivity(activity: Activity): Promise<void>;
  /** Newest first; a source keeps its last 1,000. */
  listRejections(orgId: string, sourceId: string, limit: number): Promise<Rejection[]>;
  /** All that it keeps, by code and reason, the latest first: so many groups at most, each with so many requests. */
  groupRejections(
    orgId: string,
    sourceId: string,
    most: { readonly groups: number; readonly ofEach: number },
  ): Promise<RejectionGroup[]>;
}
