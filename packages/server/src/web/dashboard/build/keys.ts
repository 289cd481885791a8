import type { KeyRecord } from '@sluice/contract/dashboard-keys';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import { hashSecret, newSecret } from '../../../core/secrets/vault.ts';
import type { ApiKey } from '../../../core/stores/configuration/api-keys.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import { pageOf } from '../../paging.ts';
import type { Calls } from '../calls.ts';
import type { SessionCall } from '../exchange.ts';
import { newestFirst, optionalTime } from '../records.ts';

const PREFIX_LENGTH = 10;

/** API keys: the secret is shown once and kept as a hash; revoking holds from the next request on. */
export function keyCalls(
  calls: Calls,
  {
    configuration,
    clock,
  }: {
    readonly configuration: Pick<ConfigurationStore, 'audited' | 'findApiKey' | 'listApiKeys'>;
    readonly clock: Clock;
  },
): void {
  async function find({ session, param }: SessionCall<'id'>): Promise<ApiKey> {
    const key = await configuration.findApiKey(session.orgId, param('id'));
    if (key === null) throw new Problem('not_found');
    return key;
  }

  calls.on('GET /keys', 'read', async call => {
    const page = call.page('keys', call.query());
    const { rows, next } = pageOf(await configuration.listApiKeys(call.session.orgId), newestFirst, page);
    return page.answer(rows.map(toRecord), next);
  });

  calls.on('POST /keys', 'keys.change', async call => {
    const { name } = await call.body();
    const secret = newSecret('sk');
    const createdAt = clock.now();
    const key: ApiKey = {
      id: newId('key', createdAt),
      orgId: call.session.orgId,
      name,
      prefix: secret.slice(0, PREFIX_LENGTH),
      hash: hashSecret(secret),
      createdAt,
      lastUsedAt: null,
      revokedAt: null,
    };
    const record = call.record('key.created', key.id, { name, prefix: key.prefix });
    await configuration.audited(record).createApiKey(key);
    return call.answer({ ...toRecord(key), secret }, 201);
  });

  calls.on('GET /keys/:id', 'read', async call => call.answer(toRecord(await find(call))));

  calls.on('PATCH /keys/:id', 'keys.change', async call => {
    const { id } = await find(call);
    const { name } = await call.body();
    const record = call.record('key.renamed', id, { name });
    await configuration.audited(record).renameApiKey(call.session.orgId, id, name);
    return call.answer(toRecord(await find(call)));
  });

  calls.on('DELETE /keys/:id', 'keys.change', async call => {
    const { id, name } = await find(call);
    const record = call.record('key.revoked', id, { name });
    await configuration.audited(record).revokeApiKey(call.session.orgId, id, clock.now());
    return call.answer(toRecord(await find(call)));
  });
}

const toRecord = (key: ApiKey): KeyRecord => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  created_at: toRfc3339(key.createdAt),
  last_used_at: optionalTime(key.lastUsedAt),
  revoked_at: optionalTime(key.revokedAt),
});
