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

/** The keys of the public API. */
export interface ApiKeyStore {
  createApiKey(key: ApiKey): Promise<void>;
  listApiKeys(orgId: string): Promise<ApiKey[]>;
  findApiKey(orgId: string, id: string): Promise<ApiKey | null>;
  /** Only a key that is not revoked. */
  findApiKeyByHash(hash: string): Promise<ApiKey | null>;
  renameApiKey(orgId: string, id: string, name: string): Promise<boolean>;
  revokeApiKey(orgId: string, id: string, at: number): Promise<boolean>;
}
