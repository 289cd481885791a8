import { expect, test } from 'bun:test';
import type { Activity, Rejection } from '../../../src/core/stores/configuration/sources.ts';
import { aPipeline } from './pipeline-samples.ts';
import { anApiKey, anSdkSource, aWebhookSource, idAt, NOW, storedOrganisation } from './samples.ts';
import type { Subject } from './suite.ts';

export function sourcesContract(subject: Subject): void {
  const orgId = () => idAt('org', NOW);

  const record = (activity: Partial<Activity>) =>
    subject.storage.recordActivity({ keysUsed: [], sourcesSeen: [], rejections: [], ...activity });

  const aRejection = (orgId: string, sourceId: string, n: number): Rejection => ({
    orgId,
    sourceId,
    at: NOW + n,
    code: 'unauthenticated',
    message: `Refusal ${n}.`,
    address: '192.0.2.7',
    headers: null,
  });

  test('keeps both kinds of source as they were made', async () => {
    const org = await storedOrganisation(subject.storage);
    const webhook = aWebhookSource(org, {
      auth: 'bearer',
      enabled: false,
      previousSealedSecret: 'the one before',
      previousSecretUntil: NOW + 5,
      ratePerSecond: 0.25,
      rateBurst: 3,
      provider: 'meta',
      providerOptions: { url: 'https://example.com/ü', verifyWith: 'hmac' },
      sealedVerifyToken: 'sealed',
      typeFrom: { path: 'payload.a["b"]', prefix: 'x.' },
    });
    const sdk = anSdkSource(org, { match: '*' });
    await subject.storage.createSource(webhook);
    await subject.storage.createSource(sdk);
    expect(await subject.storage.findSource(org, webhook.id)).toEqual(webhook);
    expect(await subject.storage.findSource(org, sdk.id)).toEqual(sdk);
    const made = (await subject.storage.listSources(org)).filter(({ kind }) => kind !== 'system');
    expect(made).toEqual([sdk, webhook]);
    expect(await subject.storage.findSourceByTokenHash(webhook.tokenHash)).toEqual(webhook);
    expect(await subject.storage.findSourceByTokenHash('unknown')).toBeNull();
    expect(await subject.storage.findSourceByTokenHash('\0')).toBeNull();
  });

  test('changes only what a change names', async () => {
    const org = orgId();
    const source = aWebhookSource(org);
    await subject.storage.createSource(source);
    const rotated = {
      sealedSecret: 'new',
      previousSealedSecret: source.sealedSecret,
      previousSecretUntil: NOW + 9,
    };
    expect(await subject.storage.updateSource(org, source.id, rotated, NOW + 1)).toBe(true);
    expect(await subject.storage.findSource(org, source.id)).toEqual({
      ...source,
      ...rotated,
      updatedAt: NOW + 1,
    });
    const emptied = {
      previousSealedSecret: null,
      previousSecretUntil: null,
      enabled: false,
      ratePerSecond: 0,
    };
    expect(await subject.storage.updateSource(org, source.id, emptied, NOW + 2)).toBe(true);
    expect(await subject.storage.findSource(org, source.id)).toEqual({
      ...source,
      ...emptied,
      sealedSecret: 'new',
      updatedAt: NOW + 2,
    });
    const sdk = anSdkSource(org);
    await subject.storage.createSource(sdk);
    expect(await subject.storage.updateSource(org, sdk.id, { match: 'user.*' }, NOW + 3)).toBe(true);
    expect(await subject.storage.findSource(org, sdk.id)).toEqual({
      ...sdk,
      match: 'user.*',
      updatedAt: NOW + 3,
    });
  });

  test('lets no other organisation see, change or delete a source', async () => {
    const [org, other] = [orgId(), orgId()];
    const source = aWebhookSource(org);
    await subject.storage.createSource(source);
    await record({ rejections: [aRejection(org, source.id, 1)] });
    expect(await subject.storage.findSource(other, source.id)).toBeNull();
    expect(await subject.storage.listSources(other)).toEqual([]);
    expect(await subject.storage.updateSource(other, source.id, { name: 'x' }, NOW)).toBe(false);
    expect(await subject.storage.deleteSource(other, source.id, 'ada', NOW)).toBe(false);
    expect(await subject.storage.listRejections(other, source.id, 10)).toEqual([]);
    expect(await subject.storage.findSource(org, source.id)).toEqual(source);
    expect(await subject.storage.listRejections(org, source.id, 10)).toHaveLength(1);
  });

  test('deletes a source with its refusals', async () => {
    const org = await storedOrganisation(subject.storage);
    const source = aWebhookSource(org);
    await subject.storage.createSource(source);
    await record({ rejections: [aRejection(org, source.id, 1)] });
    expect(await subject.storage.deleteSource(org, source.id, 'ada', NOW)).toBe(true);
    expect(await subject.storage.deleteSource(org, source.id, 'ada', NOW)).toBe(false);
    expect(await subject.storage.findSourceByTokenHash(source.tokenHash)).toBeNull();
    expect(await subject.storage.listRejections(org, source.id, 10)).toEqual([]);
  });

  test('takes a deleted source out of its pipelines, each in a version of its own', async () => {
    const org = orgId();
    const [gone, kept] = [anSdkSource(org), anSdkSource(org)];
    for (const source of [gone, kept]) await subject.storage.createSource(source);
    const definition = (...sources: string[]) =>
      `{"name":"P","sources":${JSON.stringify(sources)},"steps":[{"n":9007199254740993}],"destinations":[]}`;
    const listening = aPipeline(org, { definition: definition(gone.id, kept.id) });
    const other = aPipeline(org, { definition: definition(kept.id) });
    for (const pipeline of [listening, other]) await subject.storage.createPipeline(pipeline, 'ada');
    await subject.storage.deleteSource(org, gone.id, 'bob', NOW + 5);
    expect(await subject.storage.findPipeline(org, listening.id)).toEqual({
      ...listening,
      version: 2,
      definition: definition(kept.id),
      updatedAt: NOW + 5,
    });
    expect(await subject.storage.findPipeline(org, other.id)).toEqual(other);
    expect(await subject.storage.listPipelineVersions(org, listening.id)).toMatchObject([
      { version: 2, createdBy: 'bob', createdAt: NOW + 5 },
      { version: 1, createdBy: 'ada', definition: definition(gone.id, kept.id) },
    ]);
  });

  test('notes the last use of keys and sources', async () => {
    const org = orgId();
    const [key, source] = [anApiKey(org), aWebhookSource(org)];
    await subject.storage.createApiKey(key);
    await subject.storage.createSource(source);
    await record({
      keysUsed: [
        { id: key.id, at: NOW + 3 },
        { id: 'key_unknown', at: NOW },
      ],
      sourcesSeen: [{ id: source.id, at: NOW + 4 }],
    });
    expect((await subject.storage.findApiKey(org, key.id))?.lastUsedAt).toBe(NOW + 3);
    expect((await subject.storage.findSource(org, source.id))?.lastEventAt).toBe(NOW + 4);
  });

  test('survives activity that nodes report at once', async () => {
    const org = orgId();
    const keys = Array.from({ length: 20 }, () => anApiKey(org));
    for (const key of keys) await subject.storage.createApiKey(key);
    await subject.atOnce(10, (storage, n) => {
      const used = keys.map(({ id }) => ({ id, at: NOW + n }));
      return storage.recordActivity({
        keysUsed: n % 2 === 0 ? used : used.toReversed(),
        sourcesSeen: [],
        rejections: [],
      });
    });
    expect((await subject.storage.listApiKeys(org)).every(({ lastUsedAt }) => lastUsedAt !== null)).toBe(
      true,
    );
  });

  test('lists refusals newest first, those of one moment too', async () => {
    const [org, sourceId] = [orgId(), idAt('src', NOW)];
    const rejections = [1, 2, 2, 2, 3].map((at, n) => ({
      ...aRejection(org, sourceId, at),
      message: `No ${n}.`,
    }));
    await record({ rejections });
    expect(await subject.storage.listRejections(org, sourceId, 10)).toEqual(rejections.toReversed());
    expect(await subject.storage.listRejections(org, sourceId, 2)).toEqual(
      rejections.toReversed().slice(0, 2),
    );
  });

  test('keeps the last 1,000 refusals of each source', async () => {
    const [org, busy, quiet] = [orgId(), idAt('src', NOW), idAt('src', NOW)];
    const rejections = Array.from({ length: 1_500 }, (_, n) => aRejection(org, busy, n));
    await record({ rejections: [aRejection(org, quiet, 1), ...rejections.slice(0, 900)] });
    await record({ rejections: rejections.slice(900) });
    const kept = await subject.storage.listRejections(org, busy, 5_000);
    expect(kept).toEqual(rejections.slice(500).toReversed());
    expect(await subject.storage.listRejections(org, quiet, 5_000)).toHaveLength(1);
  });

  test('takes the refusals of many busy sources in one go', async () => {
    const org = orgId();
    const sources = Array.from({ length: 12 }, () => idAt('src', NOW));
    const rejections = sources.flatMap(id => Array.from({ length: 1_000 }, (_, n) => aRejection(org, id, n)));
    await record({ rejections });
    for (const id of sources) {
      expect(await subject.storage.listRejections(org, id, 5_000)).toHaveLength(1_000);
    }
  });

  test('groups what a source rejected by its reason, each with the latest and who sent it', async () => {
    const org = orgId();
    const [source, other] = [idAt('src', NOW), idAt('src', NOW)];
    const rejected = (n: number, change: Partial<Rejection>): Rejection => ({
      ...aRejection(org, source, n),
      ...change,
    });
    await record({
      rejections: [
        ...[1, 2, 3, 3].map((at, n) =>
          rejected(at, { message: 'No signature.', headers: JSON.stringify({ 'user-agent': `a${n}` }) }),
        ),
        rejected(9, { message: 'Too old.', address: null }),
        rejected(4, { code: 'rate_limited', message: 'Too old.' }),
        aRejection(org, other, 5),
      ],
    });
    const all = await subject.storage.groupRejections(org, source, { groups: 10, ofEach: 2 });
    expect(all.map(({ code, message, count }) => [code, message, count])).toEqual([
      ['unauthenticated', 'Too old.', 1],
      ['rate_limited', 'Too old.', 1],
      ['unauthenticated', 'No signature.', 4],
    ]);
    expect(all[0]?.latest[0]?.address).toBeNull();
    expect(all[2]).toMatchObject({ firstAt: NOW + 1, lastAt: NOW + 3 });
    expect(all[2]?.latest.map(({ headers }) => headers)).toEqual([
      '{"user-agent":"a3"}',
      '{"user-agent":"a2"}',
    ]);
    expect(all[2]?.latest[0]?.address).toBe('192.0.2.7');
    expect(await subject.storage.groupRejections(org, source, { groups: 1, ofEach: 1 })).toHaveLength(1);
    expect(await subject.storage.groupRejections(orgId(), source, { groups: 9, ofEach: 9 })).toEqual([]);
  });
}
