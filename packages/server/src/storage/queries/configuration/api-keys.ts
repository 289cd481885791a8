import type { ApiKey } from '../../../core/stores/configuration/api-keys.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Operation } from '../../operation.ts';
import type { Schema } from '../../schema.ts';

/** API keys: made, listed, found by their hash, revoked. */

const toApiKey = (row: Schema['api_keys']): ApiKey => ({
  id: row.id,
  orgId: row.org_id,
  name: row.name,
  prefix: row.prefix,
  hash: row.hash,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  revokedAt: row.revoked_at,
});

export const createApiKey: Operation<ConfigurationStore['createApiKey']> = async (db, key) => {
  await db
    .insertInto('api_keys')
    .values({
      id: key.id,
      org_id: key.orgId,
      name: key.name,
      prefix: key.prefix,
      hash: key.hash,
      created_at: key.createdAt,
      last_used_at: key.lastUsedAt,
      revoked_at: key.revokedAt,
    })
    .execute();
};

export const listApiKeys: Operation<ConfigurationStore['listApiKeys']> = async (db, orgId) =>
  (
    await db.selectFrom('api_keys').selectAll().where('org_id', '=', orgId).orderBy('id', 'desc').execute()
  ).map(toApiKey);

export const findApiKey: Operation<ConfigurationStore['findApiKey']> = async (db, orgId, id) => {
  const row = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? toApiKey(row) : null;
};

/** A key that was being made while its organisation was deleted opens nothing. */
export const findApiKeyByHash: Operation<ConfigurationStore['findApiKeyByHash']> = async (db, hash) => {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('organisations', 'organisations.id', 'api_keys.org_id')
    .selectAll('api_keys')
    .where('api_keys.hash', '=', hash)
    .where('api_keys.revoked_at', 'is', null)
    .executeTakeFirst();
  return row ? toApiKey(row) : null;
};

export const renameApiKey: Operation<ConfigurationStore['renameApiKey']> = async (db, orgId, id, name) =>
  (await db
    .updateTable('api_keys')
    .set({ name })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()) !== undefined;

export const revokeApiKey: Operation<ConfigurationStore['revokeApiKey']> = async (db, orgId, id, at) =>
  (await db
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst()) !== undefined;
