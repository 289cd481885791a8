import { hashSecret, type Vault } from '../core/secrets/vault.ts';
import type { AccountStore } from '../core/stores/accounts.ts';
import type { ChangeListener } from '../core/stores/change.ts';
import { type AuthMode, type SourceSecretField, sourceSecret } from '../core/stores/configuration/sources.ts';
import type { ConfigurationStore } from '../core/stores/configuration.ts';
import { createLookupCache, type Known } from './lookup-cache.ts';
import type { CompiledRules } from './reading/body-rules.ts';
import { bodyRulesOf, type KnownProvider, knownProviderOf } from './verification/known-provider.ts';
import type { ProviderPorts } from './verification/preset.ts';

/** The directory of callers: who may send, looked up by hash and cached until that configuration changes. */
export interface Directory {
  organisationOfKey(secret: string): Known<KnownKey>;
  sourceOfToken(token: string): Known<KnownSource>;
  retentionMs(orgId: string): Promise<number>;
  /** Drops what the change names and nothing else; null drops everything. */
  readonly invalidate: ChangeListener;
}

export interface KnownKey {
  readonly id: string;
  readonly orgId: string;
}

export interface KnownSource {
  readonly id: string;
  readonly orgId: string;
  readonly enabled: boolean;
  readonly auth: AuthMode;
  readonly secret: string;
  readonly previous: { readonly secret: string; readonly until: number } | null;
  readonly rate: { readonly perSecond: number; readonly burst: number };
  /** Of the modes `provider` and `custom`. */
  readonly provider: KnownProvider | null;
  readonly rules: CompiledRules | null;
}

const DAY_MS = 86_400_000;

export function createDirectory(options: {
  readonly configuration: Pick<ConfigurationStore, 'findApiKeyByHash' | 'findSourceByTokenHash'>;
  readonly accounts: Pick<AccountStore, 'findOrganisation'>;
  vault: Vault;
  /** What presets may ask of the world. */
  readonly ports: ProviderPorts;
  defaultRetentionDays: number;
  /** False while changes made by other nodes cannot be received: then nothing is cached. */
  mayCache(): boolean;
}): Directory {
  const { configuration, accounts, vault, mayCache } = options;

  const keys = createLookupCache<KnownKey>({
    mayCache,
    async find(secret) {
      const key = await configuration.findApiKeyByHash(hashSecret(secret));
      return key && { id: key.id, orgId: key.orgId };
    },
  });

  const sources = createLookupCache<KnownSource>({
    mayCache,
    async find(token) {
      const source = await configuration.findSourceByTokenHash(hashSecret(token));
      if (source === null) return null;
      const open = (sealed: string, field: SourceSecretField) =>
        vault.open(sealed, sourceSecret(source, field));
      const secret = open(source.sealedSecret, 'secret');
      const previous =
        source.previousSealedSecret === null || source.previousSecretUntil === null
          ? null
          : {
              secret: open(source.previousSealedSecret, 'previous_secret'),
              until: source.previousSecretUntil,
            };
      const verifyToken =
        source.sealedVerifyToken === null ? null : open(source.sealedVerifyToken, 'verify_token');
      const secrets = { secret, previous: previous?.secret ?? null, verifyToken };
      const provider = knownProviderOf(source, secrets, options.ports);
      return {
        id: source.id,
        orgId: source.orgId,
        enabled: source.enabled,
        auth: source.auth,
        secret,
        previous,
        rate: { perSecond: source.ratePerSecond, burst: source.rateBurst },
        provider,
        rules: bodyRulesOf(source, provider?.preset ?? null),
      };
    },
  });

  const retentions = createLookupCache<number>({
    mayCache,
    async find(orgId) {
      const org = await accounts.findOrganisation(orgId);
      return org && (org.retentionDays ?? options.defaultRetentionDays) * DAY_MS;
    },
  });

  return {
    organisationOfKey: keys.get,
    sourceOfToken: sources.get,
    retentionMs: async orgId => (await retentions.get(orgId)) ?? options.defaultRetentionDays * DAY_MS,
    invalidate(change) {
      if (change === null) {
        for (const cache of [keys, sources, retentions]) cache.clear();
        return;
      }
      const { organisationId, what, id } = change;
      const isNamed = (known: KnownKey | KnownSource) =>
        known.orgId === organisationId && (id === undefined || what === 'organisation' || known.id === id);
      if (what === 'keys' || what === 'organisation') keys.drop(isNamed);
      if (what === 'sources' || what === 'organisation') sources.drop(isNamed);
      if (what === 'organisation') retentions.drop((_ms, orgId) => orgId === organisationId);
    },
  };
}
