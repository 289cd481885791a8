import { expect, test } from 'bun:test';
import { anApiKey, idAt, NOW, storedOrganisation } from './samples.ts';
import type { Subject } from './suite.ts';

export function apiKeysContract(subject: Subject): void {
  const orgId = () => idAt('org', NOW);

  test('keeps a key as it was made and finds it by its hash', async () => {
    const key = anApiKey(await storedOrganisation(subject.storage), { name: 'Läden & Söhne' });
    await subject.storage.createApiKey(key);
    expect(await subject.storage.findApiKey(key.orgId, key.id)).toEqual(key);
    expect(await subject.storage.findApiKeyByHash(key.hash)).toEqual(key);
    expect(await subject.storage.findApiKeyByHash(`${key.hash}x`)).toBeNull();
    expect(await subject.storage.findApiKeyByHash('\0')).toBeNull();
  });

  test('lists the keys of one organisation, newest first', async () => {
    const org = orgId();
    const keys = [anApiKey(org), anApiKey(org), anApiKey(org)];
    for (const key of [...keys, anApiKey(orgId())]) await subject.storage.createApiKey(key);
    expect(await subject.storage.listApiKeys(org)).toEqual(keys.toReversed());
  });

  test('finds a revoked key in the list but no longer by its hash', async () => {
    const key = anApiKey(await storedOrganisation(subject.storage));
    await subject.storage.createApiKey(key);
    expect(await subject.storage.revokeApiKey(key.orgId, key.id, NOW + 5)).toBe(true);
    expect(await subject.storage.findApiKeyByHash(key.hash)).toBeNull();
    expect(await subject.storage.listApiKeys(key.orgId)).toEqual([{ ...key, revokedAt: NOW + 5 }]);
    expect(await subject.storage.revokeApiKey(key.orgId, key.id, NOW + 9)).toBe(false);
    expect((await subject.storage.findApiKey(key.orgId, key.id))?.revokedAt).toBe(NOW + 5);
  });

  test('renames a key', async () => {
    const key = anApiKey(orgId());
    await subject.storage.createApiKey(key);
    expect(await subject.storage.renameApiKey(key.orgId, key.id, 'Renamed')).toBe(true);
    expect(await subject.storage.findApiKey(key.orgId, key.id)).toEqual({ ...key, name: 'Renamed' });
  });

  test('lets no other organisation see or change a key', async () => {
    const key = anApiKey(orgId());
    const other = orgId();
    await subject.storage.createApiKey(key);
    expect(await subject.storage.findApiKey(other, key.id)).toBeNull();
    expect(await subject.storage.listApiKeys(other)).toEqual([]);
    expect(await subject.storage.renameApiKey(other, key.id, 'x')).toBe(false);
    expect(await subject.storage.revokeApiKey(other, key.id, NOW)).toBe(false);
    expect(await subject.storage.findApiKey(key.orgId, key.id)).toEqual(key);
  });

  test('refuses a second key with the same hash', async () => {
    const key = anApiKey(orgId());
    await subject.storage.createApiKey(key);
    const twin = anApiKey(orgId(), { hash: key.hash });
    expect(await subject.storage.createApiKey(twin).catch((error: unknown) => error)).toBeInstanceOf(Error);
    expect(await subject.storage.findApiKey(twin.orgId, twin.id)).toBeNull();
  });
}
