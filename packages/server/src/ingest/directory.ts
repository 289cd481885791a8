import { hashSecret, type Vault } from '../core/secrets/vault.ts';
import type { AuthMode, Storage } from '../core/stores/storage.ts';

/** Who may come in, as the doors keep it in memory: looked up by hash, forgotten whenever configuration changes. */
export interface Directory {
  organisationOfKey(secret: string): Known<KnownKey>;
  sourceOfToken(token: string): Known<KnownSource>;
  retentionMs(orgId: string): Promise<number>;
  invalidate(): void;
}

/** At once where it is remembered: the doors ask for every request. */
export type Known<T> = T | null | Promise<T | null>;

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
}

type DirectoryStorage = Pick<Storage, 'findApiKeyByHash' | 'findSourceByTokenHash' | 'findOrganisation'>;

const MOST_REMEMBERED = 10_000;
const DAY_MS = 86_400_000;

export function createDirectory(options: {
  storage: DirectoryStorage;
  vault: Vault;
  defaultRetentionDays: number;
  /** False while changes made by other nodes cannot be heard of: then nothing is remembered. */
  mayCache(): boolean;
}): Directory {
  const { storage, vault, mayCache } = options;

  /** Remembers what was found, never what was not: a wrong key costs a look-up, and cannot fill the memory. */
  function remembering<T>(find: (name: string) => Promise<T | null>) {
    let known = new Map<string, T>();
    async function lookUp(name: string): Promise<T | null> {
      const generation = known;
      const found = await find(name);
      // What was read before a change must not be kept after it.
      if (found !== null && generation === known) {
        if (known.size >= MOST_REMEMBERED) known.clear();
        known.set(name, found);
      }
      return found;
    }
    return {
      get(name: string): Known<T> {
        const remembered = known.get(name);
        return remembered !== undefined && mayCache() ? remembered : lookUp(name);
      },
      invalidate() {
        known = new Map();
      },
    };
  }

  const keys = remembering<KnownKey>(async secret => {
    const key = await storage.findApiKeyByHash(hashSecret(secret));
    return key && { id: key.id, orgId: key.orgId };
  });

  const sources = remembering<KnownSource>(async token => {
    const source = await storage.findSourceByTokenHash(hashSecret(token));
    if (source === null) return null;
    const open = (sealed: string) => vault.open(sealed, source.orgId, source.id);
    return {
      id: source.id,
      orgId: source.orgId,
      enabled: source.enabled,
      auth: source.auth,
      secret: open(source.sealedSecret),
      previous:
        source.previousSealedSecret === null || source.previousSecretUntil === null
          ? null
          : { secret: open(source.previousSealedSecret), until: source.previousSecretUntil },
      rate: { perSecond: source.ratePerSecond, burst: source.rateBurst },
    };
  });

  const retentions = remembering<number>(async orgId => {
    const org = await storage.findOrganisation(orgId);
    return (org?.retentionDays ?? options.defaultRetentionDays) * DAY_MS;
  });

  return {
    organisationOfKey: keys.get,
    sourceOfToken: sources.get,
    retentionMs: async orgId => (await retentions.get(orgId)) ?? options.defaultRetentionDays * DAY_MS,
    invalidate() {
      keys.invalidate();
      sources.invalidate();
      retentions.invalidate();
    },
  };
}
